/** A run with a deadline: when it ends by it, how, and what a crash repeats of that. */
import { describe, expect, it } from "vitest";
import {
  CancelledError,
  defineWorkflow,
  NonRetryableError,
  RollbackError,
  type WorkflowStep,
} from "../index.ts";
import { createHarness } from "../testing/harness.ts";
import { createCleaningWorkflow } from "../testing/cleaning-workflow.ts";
import { createKilledHarness } from "../testing/killed-at-commit.ts";

type Author = (step: WorkflowStep) => unknown;

const HOUR = 3_600_000;
const EXCEEDED = { code: "DEADLINE_EXCEEDED", message: "the run's deadline has passed" };

function openHarness(run: Author) {
  const W = defineWorkflow({ name: "w" }, async (_event, step) => run(step));
  const harness = createHarness({ workflows: { W } });
  const rows = async (): Promise<readonly string[]> =>
    (await harness.history("w", "x")).steps
      .map((step) => `${step.stepKey} ${step.status}`)
      .toSorted();
  return {
    harness,
    rows,
    create: harness.workflows.W.create,
    status: () => harness.status("w", "x"),
  };
}

describe("S6-023 a run that waits for longer than its deadline", () => {
  const waits: Readonly<Record<string, Author>> = {
    "a sleep": (step) => step.sleep("nap", "1 day"),
    "an event": (step) => step.waitForEvent("nap", { type: "never" }),
    "a batch": (step) => step.receive("nap", { types: ["never"], timeout: "1 day" }),
    "a child": (step) => step.invoke("w", { id: "child", name: "nap" }),
    "the retry of a step": (step) =>
      step.do("nap", { retries: { limit: 3, delay: "1 day" } }, () => Promise.reject(new Error())),
  };
  it.each(Object.entries(waits))(
    "S6-023 ends at it, in %s, as errored with a code of its own",
    async (_name, wait) => {
      const caught: unknown[] = [];
      let isFirst = true;
      const { harness, create, rows, status } = openHarness(async (step) => {
        if (!isFirst) return step.sleep("other", "30 days");
        try {
          await wait(step);
        } catch (error) {
          caught.push(error);
          throw error;
        }
      });
      const instance = await create({ id: "x", deadline: "1 hour" });
      const deadlineAt = harness.clock.now() + HOUR;
      await harness.tick({ maxInstances: 1 });
      isFirst = false;
      await harness.runUntilIdle();
      isFirst = true;
      expect(await status()).toEqual({ status: "waiting", runNumber: 1, deadlineAt });
      await harness.clock.advance(HOUR - 1);
      await harness.runUntilIdle();
      expect((await status()).status).toBe("waiting");
      await harness.clock.advance(1);
      await harness.tick({ maxInstances: 1 });
      const after = await status();
      expect(after).toMatchObject({ status: "errored", error: EXCEEDED, deadlineAt });
      expect(after).not.toHaveProperty("endRequested");
      expect(caught).toEqual([expect.any(CancelledError)]);
      expect(caught[0]).toMatchObject({ message: "the run's deadline has passed" });
      expect(await rows()).toEqual(["nap errored"]);
      await expect(instance.result()).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
    },
  );

  it("S6-023 errors though its code catches everything and returns", async () => {
    const { harness, create, status } = openHarness(async (step) => {
      const { ok } = await step.try("all", (own) => own.sleep("nap", "1 day"));
      return ok;
    });
    await create({ id: "x", deadlineAt: harness.clock.now() + HOUR });
    await harness.runThroughTime();
    expect(await status()).toMatchObject({ status: "errored", error: EXCEEDED });
  });

  it("S6-023 cleans up by shielded steps, for as long as they take, and keeps what the clean-up failed with as cause", async () => {
    const done: string[] = [];
    const { harness, create, status } = openHarness(async (step) => {
      try {
        await step.sleep("nap", "1 day");
      } finally {
        await step.shielded.sleep("calm", "2 hours");
        await step.shielded.do("unlock", () => void done.push("unlock"));
        await step.shielded.do("report", () => {
          throw new NonRetryableError("no line");
        });
      }
    });
    await create({ id: "x", deadline: HOUR });
    await harness.clock.advance(0);
    await harness.runUntilIdle();
    await harness.clock.advance(HOUR);
    await harness.runUntilIdle();
    expect(await status()).toMatchObject({ status: "waiting", endRequested: "deadline" });
    await harness.runThroughTime();
    expect(done).toEqual(["unlock"]);
    const cause = { message: "no line", code: "NON_RETRYABLE" };
    expect(await status()).toMatchObject({ status: "errored", error: { ...EXCEEDED, cause } });
  });

  it("S6-023 fails as rolled back, if its code throws a RollbackError then, and is not retried", async () => {
    const undone: string[] = [];
    const { harness, create, status } = openHarness(async (step) => {
      await step.do("pay", { undo: () => void undone.push("pay") }, () => 1);
      await step.sleep("nap", "1 day").catch(() => {
        throw new RollbackError();
      });
    });
    const instance = await create({ id: "x", deadline: HOUR });
    await harness.runThroughTime();
    expect(undone).toEqual(["pay"]);
    expect(await status()).toMatchObject({ status: "errored", error: { code: "ROLLED_BACK" } });
    await expect(instance.retry()).rejects.toMatchObject({ code: "INSTANCE_NOT_ERRORED" });
  });

  it("S6-023 goes on from there when it is retried, without a deadline", async () => {
    const { harness, create, status } = openHarness(async (step) => {
      await step.do("once", () => 1);
      await step.join("all", {
        a: (own) => own.sleep("nap", "1 day"),
        b: (own) => own.waitForEvent("go", { type: "go" }),
      });
      return "done";
    });
    const instance = await create({ id: "x", deadline: HOUR });
    await harness.runUntilIdle();
    await harness.clock.advance(HOUR);
    await harness.runUntilIdle();
    expect(await status()).toMatchObject({ status: "errored", error: EXCEEDED });
    await instance.retry();
    await instance.sendEvent({ type: "go" });
    await harness.runThroughTime();
    expect(await status()).toEqual({ status: "complete", runNumber: 1, output: "done" });
  });
});

describe("S6-023 a run that is on its way", () => {
  it("S6-023 hears of its deadline by the renewal of its lease: the body is aborted", async () => {
    const seen: string[] = [];
    const { harness, create, status } = openHarness(async (step) => {
      await step.do("long", ({ signal }) => {
        return new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            seen.push(String(signal.reason));
            reject(new Error("stopped"));
          });
        });
      });
    });
    await create({ id: "x", deadline: "5 seconds" });
    const ticking = harness.tick();
    await harness.clock.advance(4000);
    for (let turn = 0; turn < 4; turn += 1) await harness.clock.advance(10_000);
    await ticking;
    expect(seen).toHaveLength(1);
    expect(await status()).toMatchObject({ status: "errored", error: EXCEEDED });
  });

  it("S6-023 and comes to its end before it hears of it, has that end", async () => {
    const { harness, create, status } = openHarness(async (step) => {
      await step.do("work", () => harness.clock.advance(5000));
      return "done";
    });
    await create({ id: "x", deadline: 5000 });
    await harness.runUntilIdle();
    expect(await status()).toMatchObject({ status: "complete", output: "done" });
  });

  it("S6-023 that is cancelled before has that end, whatever its deadline", async () => {
    const { harness, create, status } = openHarness(async (step) => {
      try {
        await step.sleep("nap", "1 day");
      } finally {
        await step.shielded.sleep("calm", "2 hours");
      }
    });
    const instance = await create({ id: "x", deadline: HOUR });
    await harness.runUntilIdle();
    await instance.cancel();
    await harness.runThroughTime();
    expect(await status()).toMatchObject({ status: "terminated" });
  });
});

describe("S6-023 an instance that has done nothing when its deadline comes", () => {
  it("S6-023 errors, and its code does not run, whether it was created late or is to start later", async () => {
    let calls = 0;
    const { harness, create, status } = openHarness(() => void (calls += 1));
    const now = harness.clock.now();
    await create({ id: "x", deadlineAt: now - 1 });
    await harness.runUntilIdle();
    expect(await status()).toMatchObject({ status: "errored", error: EXCEEDED });
    await create({ id: "y", delay: "1 day", deadline: HOUR });
    await harness.runThroughTime();
    expect(harness.clock.now()).toBe(now + HOUR);
    expect(await harness.status("w", "y")).toMatchObject({ status: "errored", error: EXCEEDED });
    expect(calls).toBe(0);
  });

  it("S6-023 is told to its parent as a failed child, and its own children are left as they say", async () => {
    const K = defineWorkflow({ name: "k" }, async (_event, step) => step.sleep("nap", "1 day"));
    const C = defineWorkflow({ name: "c" }, async (_event, step) => {
      await step.invoke(K, { id: "k", onParentEnd: "terminate" });
    });
    const P = defineWorkflow({ name: "p" }, async (_event, step) =>
      step.invoke(C, { id: "c", deadline: "1 hour", tags: ["of p"], memo: { n: 1 } }),
    );
    const harness = createHarness({ workflows: { P, C, K } });
    await harness.workflows.P.create({ id: "p" });
    await harness.runUntilIdle();
    const deadlineAt = harness.clock.now() + HOUR;
    const said = { deadlineAt, tags: ["of p"], memo: { n: 1 } };
    expect(await harness.status("c", "c")).toMatchObject({ status: "waiting", ...said });
    await harness.runThroughTime(HOUR);
    expect(await harness.status("k", "k")).toMatchObject({ status: "terminated" });
    const cause = { code: "DEADLINE_EXCEEDED" };
    const error = { code: "CHILD_FAILED", cause: { cause } };
    expect(await harness.status("p", "p")).toMatchObject({
      status: "errored",
      error: { code: error.code },
    });
  });
});

describe("S6-023 a crash at any commit of a run whose deadline comes", () => {
  async function playWithCrash(killAt: number, isApplied: boolean) {
    const { W, done } = createCleaningWorkflow();
    const { harness, time, killed, commits } = createKilledHarness(
      { workflows: { W } },
      { killAt, isApplied },
    );
    await harness.workflows.W.create({ id: "x", deadline: HOUR });
    const play = async (): Promise<void> => {
      await harness.runUntilIdle();
      await harness.runThroughTime();
    };
    await Promise.race([play(), killed]);
    await time.advance(0);
    await time.advance(60_000);
    await harness.runThroughTime();
    const { steps } = await harness.history("w", "x");
    const rows = steps.map((step) => `${step.stepKey} ${step.status}`).toSorted();
    return { commits: commits(), done, rows, status: await harness.status("w", "x") };
  }

  it.each([false, true])(
    "S6-023 ends as one without a crash, and repeats nothing that is written down (applied: %s)",
    async (isApplied) => {
      const calm = await playWithCrash(0, isApplied);
      expect(calm.status).toMatchObject({ status: "errored", error: EXCEEDED });
      expect(calm.done).toEqual(["lock", "unlock", "CANCELLED CANCELLED CANCELLED"]);
      expect(calm.commits).toBeGreaterThan(3);
      for (let killAt = 1; killAt <= calm.commits; killAt += 1) {
        const { done, rows, status } = await playWithCrash(killAt, isApplied);
        expect({ killAt, rows, status: status.status, code: status.error?.code }).toEqual({
          killAt,
          rows: calm.rows,
          status: "errored",
          code: "DEADLINE_EXCEEDED",
        });
        expect([...new Set(done)]).toEqual(calm.done);
      }
    },
  );
});
