/** The outcome `retryRun`: a run that failed begins again as the next run of its instance. */
import { describe, expect, test } from "vitest";
import type { StoreCommand } from "../../core/decide/lifecycle.ts";
import type { RunRetried } from "../../core/model/change.ts";
import { errorOf, eventConsumed, newId, openWait, step } from "./builders.ts";
import { commitOf, COMPLETE, parkIn, type Scene, type SceneSource } from "./scene.ts";

const DELAY_MS = 5000;
const ERROR = { ...errorOf("Error", "no"), details: { a: 1 } };
const DEADLINE = { inMs: 3 * DELAY_MS };

const retried = (overrides: Partial<RunRetried> = {}): RunRetried => ({
  kind: "retryRun",
  error: ERROR,
  due: { inMs: DELAY_MS },
  keys: "same",
  ...overrides,
});

/** A run that has failed and waits for the next one. */
async function failed(own: Scene, overrides: Partial<RunRetried> = {}) {
  const run = await own.start();
  const result = await own.end(run, retried(overrides), [step("a")]);
  return { ...run, result };
}

export function describeRunRetries(scene: SceneSource): void {
  describe("runs that begin again", () => {
    test("S6-024 the next run is due after the delay, to the millisecond, with the same params and keys, and none of the steps", async () => {
      const own = scene();
      const now = await own.clock.now();
      const { params, createdAt } = await own.create({ params: `{"n":1}` });
      const run = await own.claimOne();
      const result = await own.end(run, retried(), [step("a")]);
      expect(result).toMatchObject({ dueAt: now + DELAY_MS, paused: false });
      await own.clock.advance(DELAY_MS - 1);
      expect(await own.claim()).toMatchObject({ runs: [], nextDueAt: now + DELAY_MS });
      await own.clock.advance(1);
      const again = await own.claimOne();
      expect(again).toMatchObject({ run: { ...run.run, runNumber: 2 }, keyNumber: 1 });
      expect(again).toMatchObject({ retryCount: 1, params, createdAt, isFirst: true });
      expect(again).toMatchObject({ settled: [], open: [], events: [], lostLeases: 0 });
      expect((await own.history(run.run)).steps.items).toMatchObject([{ stepKey: "a" }]);
      expect((await own.history(again.run)).steps.items).toEqual([]);
    });

    test("S6-024 without a delay it is due at once, and at an instant then", async () => {
      const own = scene();
      const now = await own.clock.now();
      const { result, run } = await failed(own, { due: { inMs: 0 } });
      expect(result.dueAt).toBe(now);
      expect((await own.load(run.instanceId)).startedAt).toBeNull();
      const again = await own.claimOne();
      const { dueAt } = await own.end(again, retried({ due: { at: now + 7 } }));
      expect(dueAt).toBe(now + 7);
      await own.clock.advance(7);
      expect(await own.claimOne()).toMatchObject({ run: { runNumber: 3 }, retryCount: 2 });
    });

    test("S6-024 the instance tells what the last run failed with, and when the next one starts, until that one parks", async () => {
      const own = scene();
      const { run } = await failed(own);
      const waiting = await own.load(run.instanceId);
      expect(waiting).toMatchObject({ status: "queued", runNumber: 2, retryCount: 1 });
      expect(waiting).toMatchObject({ error: ERROR, completedAt: null, output: null });
      expect(waiting.startedAt).toBe(waiting.updatedAt + DELAY_MS);
      await own.clock.advance(DELAY_MS);
      const again = await own.claimOne();
      expect(await own.load(run.instanceId)).toMatchObject({ status: "running", error: ERROR });
      await own.end(again, parkIn(1));
      const parked = { status: "waiting", error: null, retryCount: 1, diverged: [] };
      expect(await own.load(run.instanceId)).toMatchObject(parked);
      await own.clock.advance(1);
      await own.end(await own.claimOne(), COMPLETE);
      const complete = { status: "complete", error: null, retryCount: 1, output: `"done"` };
      expect(await own.load(run.instanceId)).toMatchObject(complete);
    });

    test("S6-024 after a rollback the keys are new ones, and stay so", async () => {
      const own = scene();
      await failed(own, { keys: "new", due: { inMs: 0 } });
      const again = await own.claimOne();
      expect(again.keyNumber).toBe(2);
      await own.end(again, retried({ due: { inMs: 0 } }));
      expect((await own.claimOne()).keyNumber).toBe(2);
    });

    test("S6-024 events that no step took go on to the next run, in their order; what was taken, and what was for one step, stays", async () => {
      const own = scene();
      const run = await own.start();
      for (const [type, id] of [
        ["go", "1"],
        ["go", "2"],
        ["other", "3"],
      ] as const)
        await own.send(run.run.instanceId, type, id, { eventId: `e-${id}` });
      const [taken] = (await own.commitHeld(run)).events;
      const own1 = [step("w", { type: "waitForEvent" }), eventConsumed(taken?.id ?? "", "w")];
      await own.end(run, retried({ due: { inMs: 0 } }), own1);
      const again = await own.claimOne();
      expect(again.events.map(({ payload }) => payload)).toEqual(["2", "3"]);
      expect((await own.history(run.run)).events.items).toMatchObject([{ payload: "1" }]);
      const repeat = await own.send(run.run.instanceId, "go", "2", { eventId: "e-2" });
      expect(repeat).toMatchObject({ kind: "applied" });
      const park = await own.end(again, parkIn(60_000), [openWait("w", "go", null)]);
      expect(park.dueAt).toBe(await own.clock.now());
      expect((await own.claimOne()).events).toHaveLength(2);
    });

    test("S6-024 an event that comes meanwhile waits for the run, and wakes nobody before", async () => {
      const own = scene();
      const { run } = await failed(own);
      const sent = await own.send(run.instanceId, "go", "1");
      expect(sent).toMatchObject({ kind: "applied", woke: false });
      expect(await own.claim()).toMatchObject({ runs: [] });
      await own.clock.advance(DELAY_MS);
      expect((await own.claimOne()).events).toMatchObject([{ payload: "1" }]);
    });

    test("S6-024 a deadline spans all runs: it is kept, and the run is due at it at the latest", async () => {
      const own = scene();
      const now = await own.clock.now();
      const run = await own.start({ deadline: DEADLINE });
      await own.end(run, retried());
      expect((await own.load(run.run.instanceId)).deadlineAt).toBe(now + DEADLINE.inMs);
      await own.clock.advance(DELAY_MS);
      const again = await own.claimOne();
      expect(again.endRequested).toBeNull();
      const { dueAt } = await own.end(again, retried({ due: { inMs: 60_000 } }));
      expect(dueAt).toBe(now + DEADLINE.inMs);
      await own.clock.advance(2 * DELAY_MS);
      expect(await own.claimOne()).toMatchObject({ endRequested: "deadline", isFirst: true });
    });

    test("S6-024 a deadline that passed unheard is no retry: the run is handed over as it is", async () => {
      const own = scene();
      const run = await own.start({ deadline: DEADLINE });
      await own.clock.advance(DEADLINE.inMs);
      await own.end(run, retried(), [step("a")]);
      const again = await own.claimOne();
      expect(again).toMatchObject({ run: run.run, endRequested: "deadline", retryCount: 0 });
      expect(again.settled).toMatchObject([{ stepKey: "a" }]);
    });

    test.each(["cancel", "rollback"] as const)(
      "S6-024 a %s that its runner has not heard of wins: the same run is due at once, with its steps",
      async (command) => {
        const own = scene();
        const run = await own.start();
        const { instanceId } = run.run;
        await own.control(instanceId, command);
        const { dueAt } = await own.end(run, retried(), [step("a")]);
        expect(dueAt).toBe(await own.clock.now());
        const asked = { status: "queued", runNumber: 1, endRequested: command, error: null };
        expect(await own.load(instanceId)).toMatchObject({ ...asked, retryCount: 0 });
        const again = await own.claimOne();
        expect(again).toMatchObject({ run: run.run, endRequested: command });
        expect(again.settled).toMatchObject([{ stepKey: "a" }]);
      },
    );

    test("S6-024 a cancel while it waits makes the next run due at once, before any of it has run", async () => {
      const own = scene();
      const { run } = await failed(own);
      expect(await own.control(run.instanceId, "cancel")).toMatchObject({ woke: true });
      const again = await own.claimOne();
      expect(again).toMatchObject({ endRequested: "cancel", isFirst: true, retryCount: 1 });
    });

    test("S6-024 a pause that was asked for holds the next run, and a resume keeps the rest of the delay", async () => {
      const own = scene();
      const run = await own.start();
      const { instanceId } = run.run;
      await own.control(instanceId, "pause");
      expect(await own.end(run, retried())).toMatchObject({ paused: true, dueAt: null });
      const paused = { status: "paused", runNumber: 2, retryCount: 1, pauseRequested: false };
      expect(await own.load(instanceId)).toMatchObject(paused);
      await own.clock.advance(DELAY_MS - 1);
      await own.control(instanceId, "resume");
      expect(await own.claim()).toMatchObject({ runs: [] });
      await own.clock.advance(1);
      expect((await own.claimOne()).run.runNumber).toBe(2);
    });

    test("S6-024 a pause while it waits, for longer than the delay: it is due with the resume", async () => {
      const own = scene();
      const { run } = await failed(own);
      await own.control(run.instanceId, "pause");
      await own.clock.advance(2 * DELAY_MS);
      expect(await own.claim()).toMatchObject({ runs: [] });
      await own.control(run.instanceId, "resume");
      expect((await own.claimOne()).run.runNumber).toBe(2);
    });

    test("S6-024 terminated while it waits, it is left with no task", async () => {
      const own = scene();
      const { run } = await failed(own);
      await own.control(run.instanceId, "terminate");
      await own.clock.advance(2 * DELAY_MS);
      expect(await own.claim()).toMatchObject({ runs: [], nextDueAt: null });
      expect((await own.load(run.instanceId)).status).toBe("terminated");
    });

    test.each<StoreCommand>(["restart", "restartWithNewKeys"])(
      "S6-024 a %s counts from the beginning, and goes at once",
      async (command) => {
        const own = scene();
        const { run } = await failed(own);
        await own.control(run.instanceId, command);
        const again = await own.claimOne();
        expect(again).toMatchObject({ run: { runNumber: 3 }, retryCount: 0 });
        expect((await own.load(run.instanceId)).error).toBeNull();
      },
    );

    test("S6-024 a retry of the last run that failed counts from the beginning, and so does a rewind", async () => {
      const own = scene();
      const { run } = await failed(own, { due: { inMs: 0 } });
      await own.end(await own.claimOne(), { kind: "fail", error: ERROR }, [step("a")]);
      expect(await own.load(run.instanceId)).toMatchObject({ status: "errored", retryCount: 1 });
      await own.control(run.instanceId, "retry");
      const again = await own.claimOne();
      expect(again).toMatchObject({ run: { runNumber: 2 }, retryCount: 0 });
      await own.end(again, retried({ due: { inMs: 0 } }));
      await own.end(await own.claimOne(), { kind: "fail", error: ERROR }, [step("a")]);
      const { workflowName, instanceId } = run;
      const rewound = await own.store.rewind({
        workflowName,
        instanceId,
        stepKey: "a",
        ifRunNumber: null,
        ifStatus: null,
        controlKey: null,
        keepsKeys: false,
        taskRowId: newId(),
        eventRowId: newId(),
      });
      expect(rewound).toMatchObject({ kind: "applied", instance: { retryCount: 0 } });
    });

    test("S6-024 a commit that comes twice begins one run, and answers as it did", async () => {
      const own = scene();
      const run = await own.start();
      const commit = commitOf(run, { outcome: retried(), changes: [step("a")] });
      const [first] = await own.store.commit([commit]);
      const [second] = await own.store.commit([{ ...commit, isRepeat: true }]);
      expect(second).toEqual(first);
      const [late] = await own.store.commit([commit]);
      expect(late).toEqual(first);
      await own.clock.advance(DELAY_MS);
      const again = await own.claimOne();
      expect(again).toMatchObject({ run: { runNumber: 2 }, retryCount: 1 });
      await own.end(again, parkIn(1));
      expect(await own.store.commit([{ ...commit, isRepeat: true }])).toEqual([
        { kind: "conflict" },
      ]);
      expect(await own.load(run.run.instanceId)).toMatchObject({ runNumber: 2, retryCount: 1 });
    });

    test("S6-024 one whose lease is lost begins nothing", async () => {
      const own = scene();
      const run = await own.start();
      await own.control(run.run.instanceId, "restart");
      expect(await own.commit(run, { outcome: retried() })).toEqual({ kind: "conflict" });
      expect(await own.load(run.run.instanceId)).toMatchObject({ runNumber: 2, retryCount: 0 });
    });

    test("S6-024 in a shared trip each run has its own: one ends, one begins again, one is lost, one goes on", async () => {
      const own = scene();
      const runs = [await own.start(), await own.start(), await own.start(), await own.start()];
      const [ending, failing, lost, going] = runs as [
        (typeof runs)[0],
        (typeof runs)[0],
        (typeof runs)[0],
        (typeof runs)[0],
      ];
      await own.control(lost.run.instanceId, "restart");
      const results = await own.store.commit([
        commitOf(ending, { outcome: COMPLETE, changes: [step("a")] }),
        commitOf(failing, { outcome: retried(), changes: [step("a")] }),
        commitOf(lost, { outcome: retried(), changes: [step("a")] }),
        commitOf(going, { changes: [step("a")] }),
      ]);
      const dueAt = (await own.clock.now()) + DELAY_MS;
      const answers = [{ dueAt: null }, { dueAt }, { kind: "conflict" }, { dueAt: null }];
      expect(results).toMatchObject(answers);
      const states = await Promise.all(runs.map(({ run }) => own.load(run.instanceId)));
      expect(states.map(({ status, runNumber }) => `${status} ${runNumber}`)).toEqual([
        "complete 1",
        "queued 2",
        "queued 2",
        "running 1",
      ]);
    });
  });
}
