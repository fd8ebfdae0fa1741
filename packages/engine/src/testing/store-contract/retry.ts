/** `control` with `retry`: which steps of a failed run are open again, and what they are then. */
import { describe, expect, test } from "vitest";
import { type EndedStep, findReopened } from "../../core/decide/reopen.ts";
import { createErrorRecord } from "../../core/stored-error.ts";
import type { StepWrite } from "../../core/model/change.ts";
import type { ErrorRecord, StepRecord } from "../../core/model/records.ts";
import type { ClaimedRun } from "../../ports/claim.ts";
import { createRandom } from "../random.ts";
import { errorOf, openWait, step } from "./builders.ts";
import {
  CASES,
  closed,
  completed,
  type Ended,
  ERROR_OF_A,
  failed,
  NOT_AWAITED,
  randomFailure,
  thrownBy,
} from "./retry-cases.ts";
import { COMPLETE, parkIn, type Scene, type SceneSource } from "./scene.ts";

const changesOf = (steps: readonly Ended[]): ReturnType<typeof step>[] =>
  steps.map(({ stepKey, ...more }, index) => step(stepKey, { settledOrder: index + 1, ...more }));

/** A run that failed with these steps. */
async function fail(
  at: Scene,
  steps: readonly Ended[],
  error: ErrorRecord = errorOf("Error", "m"),
): Promise<ClaimedRun> {
  const run = await at.start();
  await at.end(run, { kind: "fail", error }, changesOf(steps));
  return run;
}

async function retry(at: Scene, { run }: ClaimedRun): Promise<ClaimedRun> {
  const result = await at.control(run.instanceId, "retry");
  expect(result).toMatchObject({ kind: "applied", woke: true });
  return at.claimOne();
}

export function describeRetry(scene: SceneSource): void {
  describe("retry", () => {
    test.each(CASES)("S6-021 opens $says", async ({ steps, error, reopened }) => {
      const at = scene();
      const again = await retry(at, await fail(at, steps, error));
      expect(again.open.map(({ stepKey }) => stepKey).toSorted()).toEqual(reopened);
      expect(again.settled.map(({ stepKey }) => stepKey)).toEqual(
        steps.map(({ stepKey }) => stepKey).filter((key) => !reopened.includes(key)),
      );
    });

    test("S6-021 refuses a run that was rolled back, and changes nothing", async () => {
      const at = scene();
      const error = { ...errorOf("RollbackError", "no money"), code: "ROLLED_BACK" };
      const { run } = await fail(at, [completed("pay"), failed("car")], error);
      const result = await at.control(run.instanceId, "retry");
      expect(result).toMatchObject({ kind: "notErrored", instance: { status: "errored", error } });
      expect(await at.claim()).toMatchObject({ runs: [] });
    });

    test("S6-021 opens the same steps as the core finds, of any history", async () => {
      const at = scene();
      for (let seed = 1; seed <= 60; seed += 1) {
        const { steps, error } = randomFailure(createRandom(seed));
        const again = await retry(at, await fail(at, steps, error));
        const found = findReopened(
          error,
          changesOf(steps).map((change) => change.step as EndedStep),
        );
        expect({ seed, keys: again.open.map(({ stepKey }) => stepKey).toSorted() }).toEqual({
          seed,
          keys: found.map(({ stepKey }) => stepKey).toSorted(),
        });
        await at.end(again, COMPLETE);
      }
    });

    test("S6-021 a failed step has its attempts again and shows its last error; the run's end is gone", async () => {
      const at = scene();
      const failedStep = failed("a", { attempts: 6, lostAttempts: 2, maxAttempts: 6 });
      const run = await fail(at, [completed("first"), failedStep], ERROR_OF_A);
      await at.clock.advance(10);
      await at.control(run.run.instanceId, "retry");
      expect(await at.load(run.run.instanceId)).toMatchObject({
        status: "queued",
        runNumber: 1,
        error: null,
        completedAt: null,
        updatedAt: await at.clock.now(),
      });
      const again = await at.claimOne();
      expect(again).toMatchObject({ run: run.run, lostLeases: 0 });
      expect(again.open).toMatchObject([
        {
          stepKey: "a",
          status: "waiting",
          attempts: 0,
          lostAttempts: 0,
          nextRetryAt: await at.clock.now(),
          error: { message: "a failed" },
          result: null,
          version: 1,
        },
      ]);
      await at.end(again, COMPLETE, [step("a", { version: 2, settledOrder: 2 })]);
      expect((await at.history(run.run)).steps.items).toMatchObject([
        { stepKey: "first", status: "completed" },
        { stepKey: "a", status: "completed" },
      ]);
    });

    test("S6-021 a closed sleep ends when it would have, a closed wait has the time that was left, one that timed out all of it", async () => {
      const at = scene();
      const run = await at.start();
      const wait = (stepKey: string, inMs: number, version = 0): ReturnType<typeof step> =>
        step(stepKey, {
          ...(openWait(stepKey, "go", { inMs }) as ReturnType<typeof step>).step,
          version,
        });
      const began = await at.clock.now();
      const sleep = { type: "sleep", timeoutMs: null, result: null } as const;
      await at.commitHeld(run, {
        changes: [
          step("nap", {
            ...sleep,
            status: "waiting",
            settledOrder: null,
            wake: { at: began + 900 },
          }),
          wait("left", 1000),
          wait("late", 300),
        ],
      });
      await at.clock.advance(400);
      const end = (stepKey: string, write: Partial<StepWrite>): ReturnType<typeof step> =>
        step(stepKey, { result: null, status: "errored", version: 1, ...write });
      const timeout = createErrorRecord("EVENT_TIMEOUT", { name: "EventTimeout", message: "late" });
      const wake = (inMs: number): Partial<StepWrite> => ({
        type: "waitForEvent",
        waitEventType: "go",
        wake: { at: began + inMs },
      });
      const error = { ...timeout, details: { stepKey: "late" } };
      await at.end(run, { kind: "fail", error }, [
        end("late", { ...wake(300), error: timeout, settledOrder: 1 }),
        end("nap", { ...sleep, wake: { at: began + 900 }, error: NOT_AWAITED, settledOrder: 2 }),
        end("left", { ...wake(1000), error: NOT_AWAITED, settledOrder: 3 }),
      ]);
      await at.clock.advance(5000);
      const again = await retry(at, run);
      const now = await at.clock.now();
      expect(
        Object.fromEntries(again.open.map(({ stepKey, ...open }) => [stepKey, pick(open)])),
      ).toEqual({
        nap: { status: "waiting", wakeAt: began + 900, error: null, waitEventType: null },
        left: { status: "waiting", wakeAt: now + 600, error: null, waitEventType: "go" },
        late: { status: "waiting", wakeAt: now + 300, error: null, waitEventType: "go" },
      });
    });

    test("S6-021 a loop goes on from its position, as one that runs", async () => {
      const at = scene();
      const result = `{"iteration":40,"state":{"page":2}}`;
      const run = await fail(
        at,
        [failed("poll/~41/ask"), failed("poll", { type: "loop", result })],
        thrownBy("poll/~41/ask", "poll/~41/ask failed"),
      );
      expect((await retry(at, run)).open).toMatchObject([
        { stepKey: "poll/~41/ask", status: "waiting" },
        { stepKey: "poll", status: "running", result, error: null },
      ]);
    });

    test("S6-021 events that no step took are there for the run that goes on, and new ones are taken again", async () => {
      const at = scene();
      const run = await at.start();
      await at.send(run.run.instanceId, "early", `1`);
      await at.end(run, { kind: "fail", error: errorOf("E", "m") });
      expect(await at.send(run.run.instanceId, "late")).toMatchObject({ kind: "terminal" });
      await at.control(run.run.instanceId, "retry");
      expect(await at.send(run.run.instanceId, "later")).toMatchObject({ kind: "applied" });
      expect((await at.claimOne()).events.map(({ type }) => type)).toEqual(["early", "later"]);
    });

    test("S6-021 two retries at once are one: the other is refused, and one task is made", async () => {
      const at = scene();
      const { run } = await fail(at, [failed("a")], ERROR_OF_A);
      const results = await Promise.all(
        Array.from({ length: 4 }, () => at.control(run.instanceId, "retry")),
      );
      expect(results.map(({ kind }) => kind).toSorted()).toEqual([
        "applied",
        "notErrored",
        "notErrored",
        "notErrored",
      ]);
      expect(await at.fixture.countTasks(at.workflowName)).toBe(1);
    });

    test("S6-021 under its key a retry that comes again changes nothing, also once the run has failed again", async () => {
      const at = scene();
      const run = await fail(at, [failed("a")], ERROR_OF_A);
      const under = { controlKey: "retry k" };
      await at.control(run.run.instanceId, "retry", under);
      const again = await at.claimOne();
      await at.end(again, { kind: "fail", error: ERROR_OF_A });
      expect(await at.control(run.run.instanceId, "retry", under)).toMatchObject({
        kind: "applied",
        woke: false,
        instance: { status: "errored" },
      });
      expect(
        await at.control(run.run.instanceId, "retry", { controlKey: "retry l" }),
      ).toMatchObject({ kind: "applied", woke: true });
    });

    test("S6-021 a retry that is meant for another run opens nothing", async () => {
      const at = scene();
      const { run } = await fail(at, [failed("a")], ERROR_OF_A);
      expect(await at.control(run.instanceId, "retry", { ifRunNumber: 2 })).toMatchObject({
        kind: "runNumberMismatch",
        instance: { status: "errored" },
      });
      expect((await at.history(run)).steps.items).toMatchObject([{ status: "errored" }]);
    });

    test("S6-021 what the process says that ended the run, late or again, changes nothing of the run that goes on", async () => {
      const at = scene();
      const run = await at.start();
      const end = {
        number: 7,
        outcome: { kind: "fail", error: ERROR_OF_A } as const,
        changes: changesOf([failed("a")]),
      };
      await at.commitHeld(run, end);
      await at.control(run.run.instanceId, "retry");
      expect(await at.commit(run, { ...end, isRepeat: true })).toMatchObject({ kind: "committed" });
      expect(await at.commit(run, { number: 8, changes: changesOf([failed("b")]) })).toEqual({
        kind: "conflict",
      });
      const again = await at.claimOne();
      expect(again.open).toMatchObject([{ stepKey: "a", status: "waiting" }]);
      expect(again.settled).toEqual([]);
    });

    test("S6-021 other runs of the instance and other instances keep their steps", async () => {
      const at = scene();
      const first = await fail(at, [failed("a")], ERROR_OF_A);
      await at.control(first.run.instanceId, "restart");
      const second = await at.claimOne();
      await at.end(second, { kind: "fail", error: ERROR_OF_A }, changesOf([failed("a")]));
      const other = await fail(at, [failed("a")], ERROR_OF_A);
      expect((await retry(at, second)).run).toEqual(second.run);
      for (const { run } of [first, other])
        expect((await at.history(run)).steps.items).toMatchObject([{ status: "errored" }]);
    });

    test("S6-021 a retried run that parks is woken by what it waits for", async () => {
      const at = scene();
      const run = await fail(at, [closed("w", { type: "waitForEvent", waitEventType: "go" })]);
      await at.end(await retry(at, run), parkIn(60_000));
      expect(await at.send(run.run.instanceId, "go")).toMatchObject({ woke: true });
    });
  });
}

const pick = ({
  status,
  wakeAt,
  error,
  waitEventType,
}: Omit<StepRecord, "stepKey">): Pick<
  StepRecord,
  "status" | "wakeAt" | "error" | "waitEventType"
> => ({
  status,
  wakeAt,
  error,
  waitEventType,
});
