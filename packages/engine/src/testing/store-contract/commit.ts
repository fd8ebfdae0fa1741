/** `commit` that continues or ends a run: steps, consumed events, read-back, terminal states. */
import { describe, expect, test } from "vitest";
import { errorOf, eventConsumed, newId, openSleep, step } from "./builders.ts";
import { COMPLETE, type SceneSource } from "./scene.ts";

export function describeCommit(scene: SceneSource): void {
  describe("commit", () => {
    test("a step is kept whole (S0-031, S0-105, S3-028, S4-003)", async () => {
      const { start, commitHeld, history, clock } = scene();
      const claimed = await start();
      const { run } = claimed;
      const id = newId();
      const counts = { attempts: 3, lostAttempts: 1, maxAttempts: 2 ** 31 - 1, settledOrder: 7 };
      await commitHeld(claimed, { changes: [step("fetch", { id, ...counts })] });
      const now = await clock.now();
      expect((await history(run)).steps.items).toEqual([
        {
          id,
          stepKey: "fetch",
          name: "fetch",
          type: "do",
          status: "completed",
          attempts: 3,
          lostAttempts: 1,
          maxAttempts: 2 ** 31 - 1,
          timeoutMs: 600_000,
          nextRetryAt: null,
          wakeAt: null,
          waitEventType: null,
          result: `"fetch"`,
          error: null,
          attemptStartedAt: null,
          runner: null,
          failedAttempts: null,
          settledOrder: 7,
          version: 0,
          createdAt: now,
          updatedAt: now,
        },
      ]);
    });

    test("a failed attempt keeps its error and the instant of the next, absolute or counted from the commit (S0-111)", async () => {
      const { start, commitHeld, history, clock } = scene();
      const run = await start();
      const error = errorOf("TypeError", "no route");
      await commitHeld(run, {
        changes: [
          step("call", { status: "waiting", result: null, error, nextRetry: { inMs: 10_000 } }),
          step("busy", { status: "waiting", result: null, error, nextRetry: { at: 123_456 } }),
        ],
      });
      const nextRetryAt = (await clock.now()) + 10_000;
      const { items } = (await history(run.run)).steps;
      expect(new Map(items.map((item) => [item.stepKey, item]))).toEqual(
        new Map([
          ["call", expect.objectContaining({ status: "waiting", error, nextRetryAt })],
          ["busy", expect.objectContaining({ status: "waiting", error, nextRetryAt: 123_456 })],
        ]),
      );
    });

    test("a sleep keeps its end, absolute or counted from the commit by database time (S0-035, S2-033)", async () => {
      const { start, commitHeld, history, clock } = scene();
      const run = await start();
      const now = await clock.now();
      await commitHeld(run, {
        changes: [openSleep("until", { at: now + 123_456 }), openSleep("for", { inMs: 789 })],
      });
      const { items } = (await history(run.run)).steps;
      expect(new Map(items.map((item) => [item.stepKey, item.wakeAt]))).toEqual(
        new Map([
          ["until", now + 123_456],
          ["for", now + 789],
        ]),
      );
    });

    test("a step written again is replaced, all but its time of creation (S3-028)", async () => {
      const { start, commitHeld, history, clock } = scene();
      const run = await start();
      const id = newId();
      const failed = errorOf("Error", "first");
      await commitHeld(run, {
        changes: [
          step("work", {
            id,
            status: "waiting",
            error: failed,
            result: null,
            nextRetry: { inMs: 5 },
          }),
        ],
      });
      const createdAt = await clock.now();
      await clock.advance(50);
      await commitHeld(run, {
        changes: [step("work", { id, attempts: 2, settledOrder: 1, version: 1 })],
      });
      expect((await history(run.run)).steps.items).toMatchObject([
        {
          id,
          status: "completed",
          attempts: 2,
          error: null,
          nextRetryAt: null,
          result: `"work"`,
          settledOrder: 1,
          createdAt,
          updatedAt: createdAt + 50,
        },
      ]);
    });

    test("many steps that end together are one commit", async () => {
      const { start, commitHeld, history } = scene();
      const run = await start();
      const keys = Array.from({ length: 50 }, (_, index) => `part-${index}`);
      await commitHeld(run, {
        changes: keys.map((key, index) => step(key, { settledOrder: index + 1 })),
      });
      const { items } = (await history(run.run)).steps;
      expect(items.map((item) => item.stepKey).toSorted()).toEqual(keys.toSorted());
    });

    test("a commit without changes tells the time and keeps the run", async () => {
      const { start, commitHeld, clock, load } = scene();
      const run = await start();
      expect(await commitHeld(run)).toEqual({
        kind: "committed",
        now: await clock.now(),
        pauseRequested: false,
        endRequested: null,
        paused: false,
        events: [],
        hasMoreEvents: false,
        dueAt: null,
      });
      expect((await load(run.run.instanceId)).status).toBe("running");
    });

    test("an event that a step has taken keeps that step, whoever asks for it later (S0-130)", async () => {
      const { create, claimOne, send, commit, commitHeld, history, clock } = scene();
      const { instanceId } = await create();
      await send(instanceId, "go", "1");
      const run = await claimOne();
      const taken = run.events[0]?.id ?? "";
      await commitHeld(run, { changes: [step("wait"), eventConsumed(taken, "wait")] });
      const [before] = (await history(run.run)).events.items;
      await clock.advance(5);
      await commit(run, { changes: [step("other"), eventConsumed(taken, "other")] });
      const [after] = (await history(run.run)).events.items;
      expect(after).toEqual(before);
    });

    test("a consumed event is marked with its step and is not read again (S0-038, S0-130)", async () => {
      const { create, claimOne, send, commitHeld, end, history, clock } = scene();
      const { instanceId } = await create();
      await send(instanceId, "go", "1");
      await send(instanceId, "go", "2");
      const run = await claimOne();
      await clock.advance(5);
      const taken = run.events[0]?.id ?? "";
      const { events } = await commitHeld(run, {
        changes: [step("wait"), eventConsumed(taken, "wait")],
      });
      expect(events.map((event) => event.payload)).toEqual(["2"]);
      const shown = (await history(run.run)).events.items;
      expect(shown[0]).toMatchObject({
        id: taken,
        consumedByStepKey: "wait",
        deliveredAt: await clock.now(),
      });
      expect(shown[1]).toMatchObject({ consumedByStepKey: null, deliveredAt: null });
      await end(run, { kind: "release" });
      expect((await claimOne()).events.map((event) => event.payload)).toEqual(["2"]);
    });

    test("a boundary reads the events that came since the runner last looked, oldest first", async () => {
      const { start, send, commitHeld } = scene();
      const run = await start();
      const id = run.run.instanceId;
      for (const type of ["one", "two", "three"]) await send(id, type);
      const first = await commitHeld(run);
      expect(first.events.map((event) => event.type)).toEqual(["one", "two", "three"]);
      const knownEventSequence = first.events[1]?.sequence ?? 0;
      const second = await commitHeld(run, { knownEventSequence });
      expect(second.events.map((event) => event.type)).toEqual(["three"]);
    });

    test("a boundary learns that a pause was asked for (S0-120)", async () => {
      const { start, control, commitHeld } = scene();
      const run = await start();
      await control(run.run.instanceId, "pause");
      expect(await commitHeld(run)).toMatchObject({ pauseRequested: true, paused: false });
    });

    test("completing writes the output and the last steps together (S4-006, S4-033, S4-039)", async () => {
      const { start, end, load, history, clock } = scene();
      const run = await start();
      await clock.advance(10);
      await end(run, COMPLETE, [step("last")]);
      const now = await clock.now();
      expect(await load(run.run.instanceId)).toMatchObject({
        status: "complete",
        output: `"done"`,
        error: null,
        completedAt: now,
        updatedAt: now,
        startedAt: now - 10,
      });
      expect((await history(run.run)).steps.items).toHaveLength(1);
    });

    test("failing writes the error (S4-006)", async () => {
      const { start, end, load, clock } = scene();
      const run = await start();
      const error = errorOf("RangeError", "too far");
      await end(run, { kind: "fail", error });
      expect(await load(run.run.instanceId)).toMatchObject({
        status: "errored",
        error,
        output: null,
        completedAt: await clock.now(),
      });
    });

    test("completing wins over a requested pause", async () => {
      const { start, control, end, load } = scene();
      const run = await start();
      await control(run.run.instanceId, "pause");
      expect((await end(run, COMPLETE)).paused).toBe(false);
      expect(await load(run.run.instanceId)).toMatchObject({
        status: "complete",
        pauseRequested: false,
      });
    });

    test("a runner carries out a pause; nothing is due until resume (S0-099)", async () => {
      const { start, control, end, load, claim } = scene();
      const run = await start();
      await control(run.run.instanceId, "pause");
      expect((await end(run, { kind: "pause" }, [step("done")])).paused).toBe(true);
      expect(await load(run.run.instanceId)).toMatchObject({
        status: "paused",
        pauseRequested: false,
      });
      expect(await claim()).toMatchObject({ runs: [], nextWakeAt: null });
    });

    test("no commits at all is no work", async () => {
      expect(await scene().store.commit([])).toEqual([]);
    });
  });
}
