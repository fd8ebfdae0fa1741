/** Events that make their run due and claim it. */
import { describe, expect, test } from "vitest";
import { eventConsumed, newId, openWait, step } from "./builders.ts";
import { parkIn, type SceneSource } from "./scene.ts";
import { waitingFor } from "./event-scene.ts";

export function describeClaimingEvents(scene: SceneSource): void {
  describe("sendEvent that claims", () => {
    test("an event that makes its run due may claim it in the same trip, with all that a claim reads", async () => {
      const at = scene();
      const { run, settled, open } = await waitingFor(at, "approved", 60_000);
      await at.clock.advance(10);
      const claim = { token: newId(), leaseMs: 5000 };
      const result = await at.send(run.instanceId, "approved", `"yes"`, { claim });
      expect(result).toMatchObject({
        kind: "applied",
        woke: true,
        instance: { status: "running", updatedAt: await at.clock.now() },
        run: {
          lease: { token: `${claim.token}.2` },
          run,
          settled,
          open: [...open, { stepKey: "approval" }],
          events: [{ type: "approved", payload: `"yes"` }],
          lostLeases: 0,
        },
      });
      expect((await at.claim()).runs).toEqual([]);
      await at.clock.advance(5000);
      expect((await at.claimOne()).lostLeases).toBe(1);
    });

    test("an event that makes nothing due claims nothing", async () => {
      const at = scene();
      const { run } = await waitingFor(at, "approved", 60_000);
      const claim = { token: newId(), leaseMs: 5000 };
      expect(await at.send(run.instanceId, "other", null, { claim })).toMatchObject({
        kind: "applied",
        woke: false,
        run: null,
        instance: { status: "waiting" },
      });
    });

    test("an event call that arrives again after its event was taken, or after a restart, wakes and claims nobody", async () => {
      const { start, end, send, claim, claimOne, control, history } = scene();
      const run = await start();
      const { instanceId } = run.run;
      const call = { eventRowId: newId() };
      await end(run, parkIn(60_000), [openWait("first", "go", null)]);
      expect(await send(instanceId, "go", null, call)).toMatchObject({ woke: true });
      const woken = await claimOne();
      const taken = [
        eventConsumed(call.eventRowId, "first"),
        step("first", { type: "waitForEvent", waitEventType: "go", version: 1 }),
        openWait("second", "go", null),
      ];
      await end(woken, parkIn(60_000), taken);
      const claiming = { ...call, claim: { token: newId(), leaseMs: 30_000 } };
      expect(await send(instanceId, "go", null, claiming)).toMatchObject({
        woke: false,
        run: null,
      });
      await control(instanceId, "restart");
      const next = await claimOne();
      await end(next, parkIn(60_000), [openWait("first", "go", null)]);
      expect(await send(instanceId, "go", null, claiming)).toMatchObject({
        woke: false,
        run: null,
      });
      expect((await claim()).runs).toEqual([]);
      expect((await history(next.run)).events.items).toEqual([]);
    });

    test("an event that claims tells what comes next where it is asked, its own run left out", async () => {
      const { start, end, send, clock, workflowName } = scene();
      const run = await start();
      const { instanceId } = run.run;
      await end(run, parkIn(60_000), [openWait("first", "go", null)]);
      await end(await start(), parkIn(50_000));
      const dueAt = (await clock.now()) + 50_000;
      const claim = { token: newId(), leaseMs: 30_000, looksFor: [workflowName] };
      expect(await send(instanceId, "go", null, { claim })).toMatchObject({
        run: { run: { instanceId } },
        next: { nextDueAt: dueAt, nextWakeAt: dueAt },
      });
    });
  });
}
