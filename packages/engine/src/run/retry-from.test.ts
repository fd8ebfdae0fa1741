/** `instance.retry({ from })`: a failed run goes back to a step and keeps its idempotency keys. */
import { describe, expect, it } from "vitest";
import { createFamily } from "./testing-invoke.ts";
import { createFlaky, ONCE } from "./testing-retry.ts";

/** A run whose last step of three has failed. */
const createThree = () =>
  createFlaky(
    async (step, body) => [
      await step.do("a", body("a")),
      await step.do("b", body("b")),
      await step.do("c", ONCE, body("c")),
    ],
    "c",
  );

describe("retry from a step", () => {
  it("S6-021 that step and the later ones run again in the same run, with the same idempotency keys", async () => {
    const { harness, instance, takeRan, keys, broken } = await createThree();
    takeRan();
    broken.clear();
    await instance.retry({ from: "b" });
    await harness.runUntilIdle();
    expect(takeRan()).toEqual(["b", "c"]);
    const output = ["a", "b", "c"];
    expect(await instance.status()).toEqual({ status: "complete", runNumber: 1, output });
    const used = [...keys.values()].flatMap((ofStep) => Array.from(ofStep));
    expect(used).toEqual(["w/x/1/a", "w/x/1/b", "w/x/1/c"]);
    const { events } = await harness.history("w", "x");
    const payload = { removedSteps: 2, keepsKeys: true };
    expect(events).toMatchObject([{ type: "rewind b", payload }]);
  });

  it("S6-021 it is refused where retry or rewind is, and by its key with another step", async () => {
    const { harness, instance, broken, retry } = await createThree();
    await expect(instance.retry({ from: "d" })).rejects.toMatchObject({ code: "STEP_NOT_FOUND" });
    for (const [options, code] of [
      [{ from: "b", ifRunNumber: 2 }, "RUN_NUMBER_MISMATCH"],
      [{ from: "" }, "INVALID_REQUEST"],
      [{ from: "b", ifStatus: ["complete"] }, "STATUS_MISMATCH"],
    ] as const)
      await expect(instance.retry(options)).rejects.toMatchObject({ code });
    await expect(instance.pause({ from: "b" } as object)).rejects.toMatchObject({
      code: "UNKNOWN_OPTION",
    });
    const idempotencyKey = "ticket";
    await instance.retry({ from: "b", idempotencyKey });
    await harness.runUntilIdle();
    await instance.retry({ from: "b", idempotencyKey });
    expect(await instance.status()).toMatchObject({ status: "errored" });
    await expect(instance.retry({ from: "a", idempotencyKey })).rejects.toMatchObject({
      code: "IDEMPOTENCY_KEY_CONFLICT",
    });
    broken.clear();
    // Without a step, it is another command.
    await instance.retry({ idempotencyKey });
    await harness.runUntilIdle();
    expect(await instance.status()).toMatchObject({ status: "complete" });
    await expect(instance.retry({ from: "b" })).rejects.toMatchObject({
      code: "INSTANCE_NOT_ERRORED",
    });
    await expect(retry()).rejects.toMatchObject({ code: "INSTANCE_NOT_ERRORED" });
  });

  it("S6-021 it is refused once an undo has begun, as a rewind is", async () => {
    const fail = (): never => {
      throw new RangeError("the undo is broken");
    };
    const { instance, harness } = await createFlaky(async (step, body) => {
      await step.do("a", { undo: { run: fail, retries: ONCE.retries } }, body("a"));
      await step.sleep("nap", "1 day");
    });
    await instance.terminate({ rollback: true });
    await harness.runUntilIdle();
    expect(await instance.status()).toMatchObject({ error: { code: "ROLLBACK_FAILED" } });
    await expect(instance.retry({ from: "a" })).rejects.toMatchObject({ code: "RUN_UNDONE" });
    await instance.retry();
  });
});

describe("retry from a step before children", () => {
  it("S6-021 S6-012 the end of a child that completed is taken again; in place of one that failed comes another, by every id", async () => {
    let isBroken = true;
    const { harness, instance, status, children } = await createFamily(
      async (step) => {
        const from = await step.do("from", () => "from");
        await step.sleep("nap", "1 hour");
        const good = await step.invoke("c", { id: "good", params: "good", name: "good" });
        const own = await step.invoke("c", { params: "own", name: "own" });
        return [from, good, own, await step.invoke("c", { id: "bad", params: "bad" })];
      },
      (_step, name: string) => {
        if (isBroken && name === "bad") throw new Error("broken");
        return name;
      },
    );
    await harness.runThroughTime();
    const before = (await children()).map(({ id }) => id);
    expect(before).toHaveLength(3);
    // A retry has its own child, so that the next one is the third.
    await instance.retry();
    await harness.runThroughTime();
    expect(await status()).toMatchObject({ status: "errored", error: { code: "CHILD_FAILED" } });
    isBroken = false;
    await instance.retry({ from: "from" });
    await harness.runUntilIdle();
    const { diverged } = (await status()) as { readonly diverged?: unknown };
    expect([(await status()).status, diverged]).toEqual(["waiting", undefined]);
    await harness.runThroughTime();
    const output = ["from", "good", "own", "bad"];
    expect(await status()).toEqual({ status: "complete", runNumber: 1, output });
    const added = (await children()).map(({ id }) => id).filter((id) => !before.includes(id));
    expect(added.toSorted()).toEqual(["bad-2", "bad-3"]);
    expect(harness.log.filter(({ event }) => event === "history.diverged")).toEqual([]);
  });

  it("S6-021 S6-012 a child that the run left behind is not waited for; another one is, and code may take another way", async () => {
    let isBroken = true;
    const { harness, instance, status, children } = await createFamily(
      async (step) =>
        Promise.all([
          isBroken ? step.invoke("c") : "no child",
          step.invoke("c", { id: "d", name: "d" }),
          step.do("fails", { retries: { limit: 0, delay: 0 } }, () => {
            if (isBroken) throw new Error("broken");
            return "mended";
          }),
        ]),
      (step) => (isBroken ? step.sleep("for ever", "1 year") : "d"),
    );
    expect(await status()).toMatchObject({ status: "errored" });
    isBroken = false;
    await instance.retry({ from: "fails" });
    await harness.runUntilIdle();
    const output = ["no child", "d", "mended"];
    expect(await status()).toEqual({ status: "complete", runNumber: 1, output });
    expect((await children()).map(({ id }) => id)).toContain("d-2");
  });
});
