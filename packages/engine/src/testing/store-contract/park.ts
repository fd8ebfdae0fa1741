/** `park` and `release`: when the run is due again. */
import { describe, expect, test } from "vitest";
import { openSleep, openWait, step } from "./builders.ts";
import { parkIn, type SceneSource } from "./scene.ts";

export function describePark(scene: SceneSource): void {
  describe("park", () => {
    test("a parked run waits, and comes due so long after the commit (S0-035, S0-098, S0-101, S4-013)", async () => {
      const { start, end, load, claim, clock } = scene();
      const run = await start();
      const { dueAt } = await end(run, parkIn(2500), [openSleep("nap", { inMs: 2500 })]);
      expect(dueAt).toBe((await clock.now()) + 2500);
      expect(await load(run.run.instanceId)).toMatchObject({
        status: "waiting",
        completedAt: null,
      });
      expect((await claim()).nextWakeAt).toBe(dueAt);
    });

    test("a run parked until an instant comes due then (S0-101, S4-004)", async () => {
      const { start, end, claim, clock } = scene();
      const at = (await clock.now()) + 700;
      const run = await start();
      const { dueAt } = await end(run, { kind: "park", taskKind: "retry", at, inMs: null });
      expect(dueAt).toBe(at);
      await clock.set(at);
      expect((await claim()).runs).toHaveLength(1);
    });

    test("of an instant and a length of time the earlier counts", async () => {
      const { start, end, clock } = scene();
      const now = await clock.now();
      const early = await end(await start(), {
        kind: "park",
        taskKind: "wake",
        at: now + 10,
        inMs: 20,
      });
      const late = await end(await start(), {
        kind: "park",
        taskKind: "wake",
        at: now + 40,
        inMs: 30,
      });
      expect([early.dueAt, late.dueAt]).toEqual([now + 10, now + 30]);
    });

    test("an instant in the past is due at once", async () => {
      const { start, end, claimOne, clock } = scene();
      const run = await start();
      await end(run, { kind: "park", taskKind: "wake", at: (await clock.now()) - 5, inMs: null });
      expect((await claimOne()).run).toEqual(run.run);
    });

    test("a wait keeps its type and deadline (S0-037, S0-039)", async () => {
      const { start, end, claimOne, clock } = scene();
      await end(await start(), parkIn(60_000), [
        openWait("approval", "approved", { inMs: 60_000 }),
      ]);
      const wakeAt = (await clock.now()) + 60_000;
      await clock.advance(60_000);
      expect((await claimOne()).open).toMatchObject([
        {
          stepKey: "approval",
          type: "waitForEvent",
          status: "waiting",
          waitEventType: "approved",
          wakeAt,
        },
      ]);
    });

    test("an event that arrived between the last look and the park makes the run due at once (S0-127)", async () => {
      const { start, send, end, claimOne, clock } = scene();
      const run = await start();
      await send(run.run.instanceId, "approved");
      const { dueAt } = await end(run, parkIn(60_000), [
        openWait("approval", "approved", { inMs: 60_000 }),
      ]);
      expect(dueAt).toBe(await clock.now());
      expect((await claimOne()).events).toMatchObject([{ type: "approved" }]);
    });

    test("an event for a wait that was opened by an earlier commit re-arms the park too", async () => {
      const { start, send, commitHeld, end, clock } = scene();
      const run = await start();
      await commitHeld(run, { changes: [openWait("approval", "approved", null), step("other")] });
      await send(run.run.instanceId, "approved");
      expect((await end(run, parkIn(60_000))).dueAt).toBe(await clock.now());
    });

    test("an event of another type does not re-arm the park", async () => {
      const { start, send, end, clock } = scene();
      const run = await start();
      await send(run.run.instanceId, "rejected");
      const { dueAt } = await end(run, parkIn(60_000), [
        openWait("approval", "approved", { inMs: 60_000 }),
      ]);
      expect(dueAt).toBe((await clock.now()) + 60_000);
    });

    test("an event that the runner has seen does not re-arm the park", async () => {
      const { start, send, commitHeld, clock } = scene();
      const run = await start();
      await send(run.run.instanceId, "approved");
      const { events } = await commitHeld(run);
      const { dueAt } = await commitHeld(run, {
        outcome: parkIn(60_000),
        changes: [openWait("approval", "approved", { inMs: 60_000 })],
        knownEventSequence: events[0]?.sequence ?? 0,
      });
      expect(dueAt).toBe((await clock.now()) + 60_000);
    });

    test("an event whose wait is settled does not re-arm the park", async () => {
      const { start, send, end, clock } = scene();
      const run = await start();
      await send(run.run.instanceId, "approved");
      const settled = step("approval", {
        version: 1,
        type: "waitForEvent",
        status: "errored",
        waitEventType: "approved",
      });
      expect((await end(run, parkIn(60_000), [settled])).dueAt).toBe((await clock.now()) + 60_000);
    });

    test("a requested pause wins over the park, and the wait is kept (S0-116, S0-120)", async () => {
      const { start, control, end, load, claim, history } = scene();
      const run = await start();
      await control(run.run.instanceId, "pause");
      const result = await end(run, parkIn(10), [openSleep("nap", { inMs: 10 })]);
      expect(result).toMatchObject({ paused: true, dueAt: null, pauseRequested: false });
      expect(await load(run.run.instanceId)).toMatchObject({
        status: "paused",
        pauseRequested: false,
      });
      expect((await history(run.run)).steps.items).toMatchObject([
        { stepKey: "nap", status: "waiting" },
      ]);
      expect((await claim()).nextWakeAt).toBeNull();
    });
  });

  describe("release", () => {
    test("a run handed over is queued and due now, before runs that start (S0-098)", async () => {
      const { create, start, end, load, claim, clock } = scene();
      const run = await start();
      await create();
      const { dueAt } = await end(run, { kind: "release" }, [step("one")]);
      expect(dueAt).toBe(await clock.now());
      expect((await load(run.run.instanceId)).status).toBe("queued");
      const [next] = (await claim({ limit: 1 })).runs;
      expect(next?.run).toEqual(run.run);
      expect(next?.settled).toHaveLength(1);
    });

    test("a requested pause wins over the hand-over (S0-116)", async () => {
      const { start, control, end, load, claim } = scene();
      const run = await start();
      await control(run.run.instanceId, "pause");
      expect(await end(run, { kind: "release" })).toMatchObject({ paused: true, dueAt: null });
      expect((await load(run.run.instanceId)).status).toBe("paused");
      expect((await claim()).runs).toEqual([]);
    });
  });
}
