/** `claim`: due runs, and everything that replay needs. */
import { describe, expect, test } from "vitest";
import { errorOf, newId, openSleep, openWait, step } from "./builders.ts";
import { LEASE_MS, parkIn, type SceneSource } from "./scene.ts";

export function describeClaim(scene: SceneSource): void {
  describe("claim", () => {
    test("nothing due is an empty claim with the database's time (S0-096)", async () => {
      const { claim, clock } = scene();
      expect(await claim()).toEqual({
        now: await clock.now(),
        runs: [],
        nextWakeAt: null,
        nextDueAt: null,
        suspectDue: false,
      });
    });

    test("a claimed instance is running, started at the first claim and not at later ones (S0-049, S4-006)", async () => {
      const { start, end, claimOne, clock, load } = scene();
      const run = await start();
      const startedAt = await clock.now();
      expect(await load(run.run.instanceId)).toMatchObject({ status: "running", startedAt });
      await end(run, parkIn(1000));
      await clock.advance(1000);
      await claimOne();
      expect(await load(run.run.instanceId)).toMatchObject({
        startedAt,
        updatedAt: startedAt + 1000,
      });
    });

    test("a run comes with its lease, params and time of creation", async () => {
      const { create, claimOne, clock } = scene();
      const { createdAt, instanceId } = await create({ params: `[1]` });
      await clock.advance(5);
      const token = newId();
      const run = await claimOne({ token });
      expect(run).toMatchObject({ params: `[1]`, createdAt, lostLeases: 0, pauseRequested: false });
      expect(run.lease.token).toBe(`${token}.1`);
      expect(run.run.instanceId).toBe(instanceId);
      expect([run.settled, run.open, run.events]).toEqual([[], [], []]);
    });

    test("a run comes with its settled steps in that order and its open ones by creation (S0-105, S4-003)", async () => {
      const { start, commitHeld, end, claimOne, clock } = scene();
      const run = await start();
      await commitHeld(run, {
        changes: [step("b", { settledOrder: 2 }), step("c", { settledOrder: 1 })],
      });
      await clock.advance(10);
      await end(run, parkIn(0), [
        step("a", { settledOrder: 3, version: 1 }),
        openSleep("z", { inMs: 0 }),
      ]);
      const { settled, open } = await claimOne();
      expect(settled.map(({ stepKey, settledOrder }) => [stepKey, settledOrder])).toEqual([
        ["c", 1],
        ["b", 2],
        ["a", 3],
      ]);
      expect(open.map(({ stepKey }) => stepKey)).toEqual(["z"]);
    });

    test("a run comes with its unconsumed events, oldest first (S3-022)", async () => {
      const { create, send, claimOne } = scene();
      const { instanceId } = await create();
      for (const type of ["first", "second", "third"]) await send(instanceId, type, `"${type}"`);
      const { events } = await claimOne();
      expect(events.map(({ type, payload }) => [type, payload])).toEqual([
        ["first", `"first"`],
        ["second", `"second"`],
        ["third", `"third"`],
      ]);
      expect(
        events.every((event) => event.deliveredAt === null && event.consumedByStepKey === null),
      ).toBe(true);
      expect(events.map((event) => event.sequence)).toEqual(
        events.map((event) => event.sequence).toSorted((a, b) => a - b),
      );
    });

    test("steps and events stay with their own run when many are claimed together", async () => {
      const { create, send, claim, store } = scene();
      const ids = await Promise.all([1, 2, 3].map(async () => (await create()).instanceId));
      for (const id of ids) await send(id, "hello", `"${id}"`);
      const first = await claim();
      await store.commit(
        first.runs.map((run) => ({
          lease: run.lease,
          run: run.run,
          changes: [step("own", { result: `"${run.run.instanceId}"` })],
          outcome: { kind: "release" },
          diverged: [],

          clearsLostLeases: false,
          number: 1,
          readsEvents: false,
          renewLeaseMs: null,
          knownEventSequence: run.events[0]?.sequence ?? 0,
          knownEndRequest: null,
        })),
      );
      const { runs } = await claim();
      expect(runs.map((run) => run.run.instanceId).toSorted()).toEqual(ids.toSorted());
      for (const { run, settled, events } of runs) {
        expect(settled.map((own) => own.result)).toEqual([`"${run.instanceId}"`]);
        expect(events.map((event) => event.payload)).toEqual([`"${run.instanceId}"`]);
      }
    });

    test("only instances of the named workflows are claimed", async () => {
      const { store, newInstance, create, claim } = scene();
      const other = newInstance({ workflowName: `O${newId()}` });
      await store.create([other]);
      const { instanceId } = await create();
      expect((await claim()).runs.map((run) => run.run.instanceId)).toEqual([instanceId]);
      const both = await claim({ workflowNames: [other.workflowName, "nobody"] });
      expect(both.runs.map((run) => run.run.instanceId)).toEqual([other.instanceId]);
      expect((await claim({ workflowNames: [] })).runs).toEqual([]);
    });

    test("a claim takes no more than its limit and leaves the rest due (S4-007)", async () => {
      const { create, claim, clock } = scene();
      for (let count = 0; count < 5; count += 1) await create();
      const first = await claim({ limit: 2 });
      expect(first.runs).toHaveLength(2);
      expect(first.nextWakeAt).toBe(await clock.now());
      expect((await claim({ limit: 2 })).runs).toHaveLength(2);
      expect((await claim({ limit: 2 })).runs).toHaveLength(1);
      expect((await claim({ limit: 2 })).runs).toHaveLength(0);
    });

    test("a claim tells when the next task comes due or the next lease ends", async () => {
      const { create, claim, claimOne, start, end, clock } = scene();
      const sleeper = await start();
      await end(sleeper, parkIn(5000), [openSleep("nap", { inMs: 5000 })]);
      expect((await claim()).nextWakeAt).toBe((await clock.now()) + 5000);
      await create();
      const now = await clock.now();
      await claimOne({ leaseMs: 1000 });
      expect((await claim()).nextWakeAt).toBe(now + 1000);
    });

    test("the ends of others' leases are told apart from what is due", async () => {
      const { create, claim, claimOne, start, end, clock } = scene();
      await create();
      const now = await clock.now();
      await claimOne({ leaseMs: 1000 });
      expect(await claim()).toMatchObject({ nextWakeAt: now + 1000, nextDueAt: null });
      const sleeper = await start();
      await end(sleeper, parkIn(5000), [openSleep("nap", { inMs: 5000 })]);
      expect(await claim()).toMatchObject({ nextWakeAt: now + 1000, nextDueAt: now + 5000 });
      await clock.advance(5000);
      expect(await claim({ limit: 1 })).toMatchObject({ runs: [{}] });
    });

    test("a claim of none takes nothing and tells when the next task comes due", async () => {
      const { create, claim, clock, load } = scene();
      expect((await claim({ limit: 0 })).nextWakeAt).toBeNull();
      const { instanceId } = await create();
      const dueAt = await clock.now();
      await clock.advance(5000);
      expect(await claim({ limit: 0 })).toMatchObject({ runs: [], nextWakeAt: dueAt });
      expect(await load(instanceId)).toMatchObject({ status: "queued", startedAt: null });
      expect((await claim()).runs).toHaveLength(1);
    });

    test("a parked run is not due before its time (S0-091, S4-007)", async () => {
      const { start, end, claim, clock } = scene();
      await end(await start(), parkIn(100), [openWait("wait", "go", { inMs: 100 })]);
      await clock.advance(99);
      expect((await claim()).runs).toEqual([]);
      await clock.advance(1);
      expect((await claim()).runs).toHaveLength(1);
    });

    test("a run that ended is never claimed again (S0-085)", async () => {
      const { start, end, claim, clock } = scene();
      await end(await start(), { kind: "complete", output: null });
      await end(await start(), { kind: "fail", error: errorOf("E", "m") });
      await clock.advance(LEASE_MS * 10);
      expect(await claim()).toMatchObject({ runs: [], nextWakeAt: null });
    });
  });
}
