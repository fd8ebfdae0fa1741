/** `sendEvent`: buffering, waking, and which run an event belongs to. */
import { describe, expect, test } from "vitest";
import { newId, openSleep, openWait, step } from "./builders.ts";
import { COMPLETE, parkIn, type SceneSource } from "./scene.ts";
import { waitingFor } from "./event-scene.ts";

export function describeEvents(scene: SceneSource): void {
  describe("sendEvent", () => {
    test("an unknown instance is notFound", async () => {
      expect(await scene().send("nobody", "go")).toEqual({ kind: "notFound" });
    });

    test("a terminal instance refuses the event and stores nothing", async () => {
      const { start, end, send, history } = scene();
      const run = await start();
      await end(run, COMPLETE);
      expect(await send(run.run.instanceId, "go")).toMatchObject({
        kind: "terminal",
        instance: { status: "complete" },
      });
      expect((await history(run.run)).events.items).toEqual([]);
    });

    test("an event sent right after creation is buffered with the database's time (S0-127, S2-009, S3-020)", async () => {
      const { create, send, claimOne, clock } = scene();
      const { instanceId } = await create();
      expect(await send(instanceId, "go", `{"n":1}`)).toMatchObject({
        kind: "applied",
        woke: false,
      });
      const createdAt = await clock.now();
      expect((await claimOne()).events).toMatchObject([
        { type: "go", payload: `{"n":1}`, createdAt, deliveredAt: null, consumedByStepKey: null },
      ]);
    });

    test("an event for an open wait makes the run due now (S0-039, S0-102, S2-026, S3-020, S4-013)", async () => {
      const at = scene();
      const run = await waitingFor(at, "approved", 60_000);
      await at.clock.advance(10);
      const result = await at.send(run.run.instanceId, "approved", `"yes"`);
      expect(result).toMatchObject({
        kind: "applied",
        woke: true,
        instance: { status: "waiting" },
      });
      const next = await at.claimOne();
      expect(next.events).toMatchObject([{ type: "approved", payload: `"yes"` }]);
      expect(next.lostLeases).toBe(0);
    });

    test("an event for a wait without a deadline makes the run due now (S2-026)", async () => {
      const at = scene();
      const run = await waitingFor(at, "approved", null);
      expect(await at.send(run.run.instanceId, "approved")).toMatchObject({ woke: true });
      expect((await at.claim()).runs).toHaveLength(1);
    });

    test("an event that no open wait asks for is stored and wakes nobody (S2-026)", async () => {
      const at = scene();
      const run = await waitingFor(at, "approved", 60_000);
      expect(await at.send(run.run.instanceId, "rejected")).toMatchObject({
        kind: "applied",
        woke: false,
      });
      expect((await at.claim()).runs).toEqual([]);
      expect((await at.history(run.run)).events.items).toMatchObject([
        { type: "rejected", deliveredAt: null },
      ]);
    });

    test("an event at or after the deadline of its wait is stored and wakes nobody (S2-004, S2-026, S2-027)", async () => {
      const at = scene();
      const run = await at.start();
      // Still asleep in another branch, so the run is not due although its wait is over.
      await at.end(run, parkIn(60_000), [
        openWait("approval", "approved", { inMs: 100 }),
        openSleep("nap", { inMs: 60_000 }),
      ]);
      await at.clock.advance(101);
      expect(await at.send(run.run.instanceId, "approved")).toMatchObject({
        kind: "applied",
        woke: false,
      });
      expect((await at.claim()).runs).toEqual([]);
      const [event] = (await at.history(run.run)).events.items;
      expect(event).toMatchObject({ deliveredAt: null, consumedByStepKey: null });
    });

    test("events carry the database's time, so that a wait's deadline can be judged (S2-002, S2-003, S2-008, S2-024, S2-025)", async () => {
      const at = scene();
      const run = await waitingFor(at, "approved", 100);
      await at.clock.advance(100);
      await at.send(run.run.instanceId, "approved", `"in time"`);
      await at.clock.advance(1);
      await at.send(run.run.instanceId, "approved", `"late"`);
      const next = await at.claimOne();
      const wakeAt = next.open[0]?.wakeAt ?? 0;
      expect(next.events.map((event) => [event.payload, event.createdAt <= wakeAt])).toEqual([
        [`"in time"`, true],
        [`"late"`, false],
      ]);
    });

    test("an event for a running instance wakes nobody: its runner reads it", async () => {
      const { start, send, commitHeld } = scene();
      const run = await start();
      expect(await send(run.run.instanceId, "go")).toMatchObject({
        woke: false,
        instance: { status: "running" },
      });
      expect((await commitHeld(run)).events).toMatchObject([{ type: "go" }]);
    });

    test("an event sent while paused is buffered and delivered after resume (S0-128)", async () => {
      const at = scene();
      const run = await waitingFor(at, "approved", 60_000);
      const id = run.run.instanceId;
      await at.control(id, "pause");
      expect(await at.send(id, "approved")).toMatchObject({
        kind: "applied",
        woke: false,
        instance: { status: "paused" },
      });
      expect((await at.claim()).runs).toEqual([]);
      await at.control(id, "resume");
      expect((await at.claimOne()).events).toMatchObject([{ type: "approved" }]);
    });

    test("an event belongs to the run that was current: a restart leaves it behind (S0-124, S0-129)", async () => {
      const { create, send, control, claimOne, history } = scene();
      const { instanceId, workflowName } = await create();
      await send(instanceId, "go", `"old"`);
      await control(instanceId, "restart");
      await send(instanceId, "go", `"new"`);
      const run = await claimOne();
      expect(run.run.runNumber).toBe(2);
      expect(run.events.map((event) => event.payload)).toEqual([`"new"`]);
      const earlier = await history({ workflowName, instanceId, runNumber: 1 });
      expect(earlier.events.items).toMatchObject([{ payload: `"old"`, deliveredAt: null }]);
    });

    test("an open wait of an earlier run does not wake the new one (S0-124)", async () => {
      const at = scene();
      const run = await waitingFor(at, "approved", 60_000);
      await at.control(run.run.instanceId, "restart");
      await at.end(await at.claimOne(), parkIn(60_000), [openSleep("nap", { inMs: 60_000 })]);
      expect(await at.send(run.run.instanceId, "approved")).toMatchObject({ woke: false });
      expect((await at.claim()).runs).toEqual([]);
    });

    test("a settled wait is not woken again", async () => {
      const at = scene();
      const run = await at.start();
      const settled = step("approval", {
        type: "waitForEvent",
        waitEventType: "approved",
        version: 1,
      });
      await at.end(run, parkIn(60_000), [settled]);
      expect(await at.send(run.run.instanceId, "approved")).toMatchObject({ woke: false });
    });

    test("a run that is due already keeps its place when an event comes", async () => {
      const at = scene();
      const early = await waitingFor(at, "approved", 100);
      await at.clock.advance(50);
      const late = await at.start();
      await at.end(late, parkIn(60));
      await at.clock.advance(100);
      await at.send(early.run.instanceId, "approved");
      const [first] = (await at.claim({ limit: 1 })).runs;
      expect(first?.run.instanceId).toBe(early.run.instanceId);
    });

    test("a run that an event has made due keeps its place when another event comes", async () => {
      const at = scene();
      const early = await waitingFor(at, "approved", 60_000);
      const late = await waitingFor(at, "approved", 60_000);
      await at.send(early.run.instanceId, "approved");
      await at.clock.advance(10);
      await at.send(late.run.instanceId, "approved");
      await at.clock.advance(10);
      await at.send(early.run.instanceId, "approved");
      const [first] = (await at.claim({ limit: 1 })).runs;
      expect(first?.run.instanceId).toBe(early.run.instanceId);
    });

    test("S5-025 a wait that lost is cancelled in the commit that records the winner, and no event wakes it or is its own from then on", async () => {
      const own = scene();
      const run = await own.start();
      const lost = { id: newId(), type: "waitForEvent", waitEventType: "go" } as const;
      const changes = [
        openWait("r/word/w", "go", null, lost.id),
        openSleep("r/time/z", { inMs: 1 }),
      ];
      await own.end(run, parkIn(1), changes);
      await own.clock.advance(1);
      const won = await own.claimOne();
      await own.end(won, parkIn(60_000), [
        step("r/time/z", { type: "sleep", version: 1 }),
        step("r/word/w", { ...lost, status: "cancelled", settledOrder: 2, version: 1 }),
        step("r", { type: "race", settledOrder: 3, result: `{"winner":"time"}` }),
        openSleep("later", { inMs: 60_000 }),
      ]);
      expect(await own.send(run.run.instanceId, "go", "1")).toMatchObject({ woke: false });
      expect((await own.claim()).runs).toEqual([]);
      await own.clock.advance(60_000);
      const { settled, open, events } = await own.claimOne();
      expect(settled).toMatchObject([
        {},
        { stepKey: "r/word/w", status: "cancelled" },
        { stepKey: "r" },
      ]);
      expect(open.map(({ stepKey }) => stepKey)).toEqual(["later"]);
      expect(events).toMatchObject([{ payload: "1", deliveredAt: null }]);
    });

    test("an event sent twice under one row id, because the answer was lost, is stored once", async () => {
      const { create, send, claimOne } = scene();
      const { instanceId } = await create();
      const eventRowId = newId();
      await send(instanceId, "go", "1", { eventRowId });
      expect(await send(instanceId, "go", "1", { eventRowId })).toMatchObject({ kind: "applied" });
      expect((await claimOne()).events).toHaveLength(1);
    });
  });
}
