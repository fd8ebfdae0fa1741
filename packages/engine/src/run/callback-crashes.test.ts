/** Callbacks of runs that die, begin again, or pass them. */
import { beforeAll, describe, expect, it } from "vitest";
import { defineWorkflow, Loop, NonRetryableError } from "../index.ts";
import { createKilledHarness } from "../testing/killed-at-commit.ts";
import { KEYS, URL_OF_API, play, rowsOf, tokenOf, code } from "./testing-callbacks.ts";

// Loaded in advance, so that loading takes no time.
beforeAll(() => Promise.all([import("./scopes/run-scope.ts"), import("./callback-step.ts")]));

describe("S6-016 step.callback", () => {
  it("S6-016 a payload that comes before the run waits for it is kept, over a crash too", async () => {
    const harness = await play(async (step) => {
      const { token, payload } = await step.callback("a");
      await step.do("use", async () => void (await harness.engine.completeCallback(token, [1, 2])));
      await step.sleep("s", "30 days");
      return payload();
    });
    await harness.runUntilIdle();
    harness.restart();
    await harness.runThroughTime();
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: [1, 2] });
  });

  it("S6-016 an old run's token ends no wait of the new run", async () => {
    const harness = await play(async (step) => (await step.callback("a")).payload());
    await harness.runUntilIdle();
    await harness.engine.control("w", "x", "restart");
    await harness.runUntilIdle();
    await expect(harness.engine.completeCallback(await tokenOf("a", 1), 1)).rejects.toEqual(
      code("CALLBACK_LATE"),
    );
    await harness.engine.completeCallback(await tokenOf("a", 2), 2);
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ output: 2 });
  });

  it("S6-016 a token of an iteration whose rows are gone is late, used or not", async () => {
    const harness = await play(async (step) => {
      await step.loop("l", {
        commitEvery: 1,
        keep: 0,
        run: async (inner, _state, iteration) => {
          const { payload } = await inner.callback("a");
          if (iteration % 2 === 0) await payload();
          await inner.sleep("s", "1 day");
          return iteration === 5 ? Loop.break(null) : Loop.continue(undefined);
        },
      });
      await step.sleep("after", "1 day");
    });
    await harness.runUntilIdle();
    await harness.engine.completeCallback(await tokenOf("l/~0/a"));
    await harness.runThroughTime(5 * 86_400_000);
    expect(await rowsOf(harness)).not.toContain("l/~0/a waitForEvent completed");
    for (const iteration of [0, 1])
      await expect(
        harness.engine.completeCallback(await tokenOf(`l/~${iteration}/a`)),
      ).rejects.toEqual(
        expect.objectContaining({ code: expect.stringMatching(/CALLBACK_(LATE|USED)/) }),
      );
  });

  it("S6-016 a run that fails and is retried has the same token, which still works", async () => {
    let fails = true;
    const harness = await play(async (step) => {
      const { payload } = await step.callback("a");
      await step.do("b", () => {
        if (fails) throw new NonRetryableError("not yet");
      });
      return payload();
    });
    await harness.runUntilIdle();
    await expect(harness.engine.completeCallback(await tokenOf("a"))).rejects.toEqual(
      code("CALLBACK_LATE"),
    );
    fails = false;
    await harness.engine.control("w", "x", "retry");
    await harness.runUntilIdle();
    await harness.engine.completeCallback(await tokenOf("a"), "in time");
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ output: "in time" });
  });
});

describe("S6-016 a crash at any commit", () => {
  /** The payload arrives while the mail is sent, or a day later; the process dies at the n-th commit. */
  async function playWithCrash(killAt: number, isApplied: boolean, isEarly: boolean) {
    const mailed: string[] = [];
    const W = defineWorkflow({ name: "w" }, async (_event, step) => {
      const { url, token, payload } = await step.callback("a", { timeout: "7 days" });
      await step.do("mail", async () => {
        mailed.push(url);
        if (isEarly) await harness.engine.completeCallback(token, "yes").catch(() => {});
      });
      const answer = await payload();
      await step.sleep("s", "1 hour");
      return answer;
    });
    const callbacks = { signingKeys: KEYS, url: URL_OF_API };
    const { harness, time, killed, commits } = createKilledHarness(
      { workflows: { W }, callbacks },
      { killAt, isApplied },
    );
    await harness.workflows.W.create({ id: "x" });
    await Promise.race([harness.runUntilIdle(), killed]);
    await time.advance(60_000);
    await harness.runUntilIdle();
    const late = await harness.engine
      .completeCallback(mailed[0]?.split("/").at(-1) ?? "", isEarly ? "no" : "yes")
      .catch((error: { code: string }) => error.code);
    await Promise.race([harness.runThroughTime(86_400_000), killed]);
    await time.advance(60_000);
    await harness.runThroughTime(86_400_000);
    return {
      commits: commits(),
      late,
      urls: new Set(mailed),
      status: await harness.status("w", "x"),
    };
  }

  it.each([
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ])(
    "S6-016 keeps URL and payload, and takes one (applied: %s, early: %s)",
    async (isApplied, isEarly) => {
      const { commits } = await playWithCrash(0, isApplied, isEarly);
      expect(commits).toBeGreaterThan(2);
      for (let killAt = 0; killAt <= commits; killAt += 1) {
        const { urls, status, late } = await playWithCrash(killAt, isApplied, isEarly);
        expect([...urls]).toEqual([`${URL_OF_API}/callbacks/${await tokenOf("a")}`]);
        expect(late).toEqual(isEarly ? "CALLBACK_USED" : expect.objectContaining({ id: "x" }));
        expect(status).toMatchObject({ status: "complete", output: "yes" });
      }
    },
  );
});
