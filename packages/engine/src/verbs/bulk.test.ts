/** Bulk jobs: a command for many instances, once for each, whatever happens meanwhile. */
import { describe, expect, test } from "vitest";
import { RETAIN_CHUNK } from "../ports/retain.ts";
import { createShop } from "../testing/testing-bulk-shop.ts";

describe("S8-004 a bulk job", () => {
  test("S8-004 retries the 300 of 1000 that a deploy broke, and none of the others", async () => {
    const shop = createShop();
    await shop.create(700, "fine", "g");
    await shop.create(300, "broken", "b");
    expect(await shop.howMany("errored")).toBe(300);
    shop.deploy.isBroken = false;
    const asked = { act: "retry", workflows: ["order"] } as const;
    expect(await shop.engine().previewBulk(asked)).toMatchObject({ count: 300, isCapped: false });
    const { id } = await shop.engine().startBulk(asked);
    await shop.harness.runUntilIdle();
    const view = await shop.engine().getBulk(id);
    expect(view).toMatchObject({
      status: "complete",
      act: "retry",
      filter: { workflows: ["order"] },
    });
    expect(view.progress).toMatchObject({ total: 300, done: 300, refused: 0, left: 0 });
    expect(await shop.howMany("complete")).toBe(1000);
    expect(await shop.howMany("errored")).toBe(0);
  });

  test("S8-004 a dry run counts, shows some, says what would be refused, and writes nothing", async () => {
    const shop = createShop();
    await shop.create(3, "broken", "b");
    await shop.create(2, "rollback", "r");
    await shop.create(4, "fine", "g");
    shop.count();
    const asked = { act: "retry", workflows: ["order"], status: ["errored", "complete"] } as const;
    const preview = await shop.engine().previewBulk(asked);
    expect(preview).toMatchObject({ act: "retry", count: 3, refusedCount: 6, isCapped: false });
    const refusals = preview.samples.map(({ id, refusal }) => `${id} ${String(refusal)}`);
    expect(refusals).toContain("b0 null");
    expect(refusals).toContain("r0 INSTANCE_NOT_ERRORED");
    expect(refusals).toContain("g0 INSTANCE_NOT_ERRORED");
    expect(new Set(shop.verbs)).toEqual(new Set(["findInstances", "countInstances"]));
  });

  test("S8-004 who is refused is told of by code, and stops nobody", async () => {
    const shop = createShop();
    await shop.create(30, "broken", "b");
    await shop.create(25, "rollback", "r");
    shop.deploy.isBroken = false;
    const { id } = await shop.engine().startBulk({ act: "retry", status: ["errored"] });
    await shop.harness.runUntilIdle();
    const { progress, status } = await shop.engine().getBulk(id);
    expect([status, progress.done, progress.refused]).toEqual(["complete", 30, 25]);
    expect(progress.refusedByCode).toEqual({ INSTANCE_NOT_ERRORED: 25 });
    expect(progress.refusals).toHaveLength(20);
    expect(progress.refusals[0]).toMatchObject({ workflowName: "order", id: /^r/ });
  });

  test("S8-004 one that has changed since it began is left alone, and so is one that came later", async () => {
    const shop = createShop();
    await shop.create(3, "broken", "b");
    await shop.clock.advance(1000);
    const { id } = await shop.engine().startBulk({ act: "restart", tag: "b", status: ["errored"] });
    await shop.clock.advance(1000);
    // One was restarted and has failed again, and another one has just been created.
    await shop.engine().control("order", "b1", "restart");
    await shop.create(1, "broken", "b9");
    await shop.harness.runUntilIdle();
    const { progress } = await shop.engine().getBulk(id);
    const runs = async (of: string) => (await shop.detailsOf(of)).runNumber;
    expect([await runs("b0"), await runs("b1"), await runs("b2"), await runs("b90")]).toEqual([
      2, 2, 2, 1,
    ]);
    expect(progress.done + progress.refused).toBeLessThanOrEqual(3);
    for (const { code } of progress.refusals)
      expect(code).toMatch(/^(STATUS|RUN_NUMBER)_MISMATCH$/);
  });

  test("S8-004 an instance that was steered between the look at it and the act is skipped with the reason", async () => {
    const shop = createShop();
    await shop.create(2, "broken", "b");
    await shop.clock.advance(1000);
    const { id } = await shop.engine().startBulk({ act: "delete", tag: "b" });
    await shop.clock.advance(1000);
    // It has counted and looked.
    await shop.harness.tick({ maxSteps: 2 });
    await shop.engine().control("order", "b0", "restart");
    await shop.harness.runUntilIdle();
    const { progress } = await shop.engine().getBulk(id);
    expect(progress).toMatchObject({ done: 1, refused: 1 });
    expect(progress.refusals).toMatchObject([{ id: "b0" }]);
    await expect(shop.detailsOf("b1")).rejects.toMatchObject({ code: "INSTANCE_NOT_FOUND" });
    expect(await shop.detailsOf("b0")).toMatchObject({ runNumber: 2 });
  });

  test("S8-004 two jobs at once do it once to each", async () => {
    const shop = createShop();
    await shop.create(60, "broken", "b");
    const asked = { act: "restart", status: ["errored"] } as const;
    const jobs = [await shop.engine().startBulk(asked), await shop.engine().startBulk(asked)];
    await shop.clock.advance(1);
    await shop.harness.runUntilIdle();
    const views = await Promise.all(jobs.map(({ id }) => shop.engine().getBulk(id)));
    expect(views.map(({ status }) => status)).toEqual(["complete", "complete"]);
    for (let index = 0; index < 60; index += 1)
      expect((await shop.detailsOf(`b${index}`)).runNumber).toBe(2);
    expect(views.reduce((sum, { progress }) => sum + progress.done, 0)).toBe(60);
  });

  test("S8-004 cancels, terminates, pauses, resumes and deletes", async () => {
    const shop = createShop();
    await shop.create(25, "wait", "w");
    const run = async (act: "pause" | "resume" | "cancel" | "terminate" | "delete") => {
      await shop.clock.advance(10);
      const { id } = await shop.engine().startBulk({ act, tag: "w" });
      await shop.harness.runUntilIdle();
      return (await shop.engine().getBulk(id)).progress.done;
    };
    expect([await run("pause"), await shop.howMany("paused")]).toEqual([25, 25]);
    expect([await run("resume"), await shop.howMany("waiting")]).toEqual([25, 25]);
    expect([await run("delete"), await shop.howMany("waiting")]).toEqual([0, 25]);
    expect([await run("cancel"), await shop.howMany("terminated")]).toEqual([25, 25]);
    expect([await run("delete"), await shop.howMany("terminated")]).toEqual([25, 0]);
    await shop.create(5, "wait", "w");
    expect([await run("terminate"), await shop.howMany("terminated")]).toEqual([5, 5]);
  });

  test("S8-004 a job that is cancelled ends behind its chunk, and what is done stays done", async () => {
    const shop = createShop();
    await shop.create(100, "wait", "w");
    const { id } = await shop.engine().startBulk({ act: "terminate", tag: "w" });
    await shop.harness.tick({ maxSteps: 4 });
    const cancelled = await shop.engine().cancelBulk(id);
    expect(cancelled).toMatchObject({ id, act: "terminate" });
    await shop.harness.runUntilIdle();
    const { status, progress } = await shop.engine().getBulk(id);
    expect(status).toBe("terminated");
    expect(progress.done).toBeGreaterThan(0);
    expect(progress.left).toBe(100 - progress.done);
    expect(await shop.howMany("terminated")).toBe(progress.done);
    await expect(shop.engine().cancelBulk(id)).rejects.toMatchObject({ code: "INSTANCE_TERMINAL" });
  });

  test("S8-004 its history stays as long as a chunk is, however many instances it meets", async () => {
    const shop = createShop();
    await shop.create(400, "wait", "w");
    const { id } = await shop.engine().startBulk({ act: "terminate", tag: "w" });
    await shop.harness.runUntilIdle();
    expect((await shop.stepsOf(id)).length).toBeLessThan(8);
  });
});

/** Runs what is due up to the call at which its process dies, and the rest in another one. @returns whether there was no such call */
async function runAndDie(shop: ReturnType<typeof createShop>): Promise<boolean> {
  shop.count();
  const running = shop.harness.runThroughTime(1);
  const first = await Promise.race([running.then(() => "ran"), shop.killed.then(() => "died")]);
  shop.countNoMore();
  await shop.clock.advance(60_000);
  await shop.harness.runThroughTime(3_600_000);
  return first === "ran";
}

describe("S8-004 a job whose process dies", () => {
  test.each([true, false])(
    "S8-004 at any call, whether it was applied (%s) or not, does it once to each and counts each once",
    async (isApplied) => {
      let isOver = false;
      for (let killAt = 1; !isOver; killAt += 1) {
        const shop = createShop({ killing: { killAt, isApplied } });
        await shop.createLater(22, "b");
        await shop.clock.advance(1000);
        const { id } = await shop.engine().startBulk({ act: "restart", tag: "b" });
        isOver = await runAndDie(shop);
        const { status, progress } = await shop.engine().getBulk(id);
        expect([killAt, status, progress.done, progress.refused]).toEqual([
          killAt,
          "complete",
          22,
          0,
        ]);
        for (let index = 0; index < 22; index += 1)
          expect((await shop.detailsOf(`b${index}`)).runNumber).toBe(2);
        expect(killAt).toBeLessThan(200);
      }
    },
    120_000,
  );

  test.each([true, false])(
    "S8-004 S8-005 at any call, whether it was applied (%s) or not, deletes what is too large for one",
    async (isApplied) => {
      let isOver = false;
      for (let killAt = 1; !isOver; killAt += 1) {
        const shop = createShop({ killing: { killAt, isApplied } });
        await shop.createLater(1, "b");
        for (let index = 0; index < RETAIN_CHUNK.rows + 1; index += 1)
          await shop.engine().sendEvent("order", "b0", { type: "e" });
        await shop.engine().control("order", "b0", "terminate");
        await shop.clock.advance(1000);
        const { id } = await shop.engine().startBulk({ act: "delete", tag: "b" });
        isOver = await runAndDie(shop);
        const { status, progress } = await shop.engine().getBulk(id);
        expect([killAt, status, progress.refused]).toEqual([killAt, "complete", 0]);
        expect(await shop.howMany("terminated")).toBe(0);
        expect(killAt).toBeLessThan(100);
      }
    },
    120_000,
  );
});
