/** Leases: expiry, takeover, the count of lost leases, renewal. */
import { describe, expect, test } from "vitest";
import { step } from "./builders.ts";
import { LEASE_MS, parkIn, type SceneSource } from "./scene.ts";
import type { StoreCapabilities } from "./subject.ts";

export function describeLeases(scene: SceneSource, { outsideWrites }: StoreCapabilities): void {
  describe("leases", () => {
    test("a held run is not claimed by another until its lease ends (S0-088, S0-090, S0-091)", async () => {
      const { start, claim, clock } = scene();
      await start();
      await clock.advance(LEASE_MS - 1);
      expect((await claim()).runs).toEqual([]);
      await clock.advance(1);
      expect((await claim()).runs).toHaveLength(1);
    });

    test("leases that die are counted, each one (S0-090)", async () => {
      const { start, claimOne, clock } = scene();
      expect((await start()).lostLeases).toBe(0);
      for (const expected of [1, 2, 3]) {
        await clock.advance(LEASE_MS);
        expect((await claimOne()).lostLeases).toBe(expected);
      }
    });

    test("a commit that makes progress forgets the leases that died before its own", async () => {
      const { start, claimOne, commitHeld, clock } = scene();
      await start();
      for (const expected of [1, 1, 1]) {
        await clock.advance(LEASE_MS);
        const run = await claimOne();
        expect(run.lostLeases).toBe(expected);
        await commitHeld(run, { clearsLostLeases: true });
      }
    });

    test("a commit that says nothing of leases leaves the count alone", async () => {
      const { start, claimOne, commitHeld, clock } = scene();
      await start();
      await clock.advance(LEASE_MS);
      await commitHeld(await claimOne());
      await clock.advance(LEASE_MS);
      expect((await claimOne()).lostLeases).toBe(2);
    });

    test("a run that was parked or handed over has no lost leases", async () => {
      const { start, claimOne, end, clock } = scene();
      await start();
      await clock.advance(LEASE_MS);
      const second = await claimOne();
      await end(second, { kind: "release" });
      const third = await claimOne();
      expect(third.lostLeases).toBe(0);
      await end(third, parkIn(0));
      expect((await claimOne()).lostLeases).toBe(0);
    });

    test("a takeover sees the steps that were in flight (S0-089)", async () => {
      const { start, claimOne, commitHeld, clock } = scene();
      await commitHeld(await start(), {
        changes: [step("charge", { status: "running", result: null })],
      });
      await clock.advance(LEASE_MS);
      const { open } = await claimOne();
      expect(open).toMatchObject([{ stepKey: "charge", status: "running", attempts: 1 }]);
    });

    test("a renewal without changes prolongs the lease from now (S0-093)", async () => {
      const { start, commitHeld, claim, clock } = scene();
      const run = await start();
      await clock.advance(LEASE_MS - 1);
      await commitHeld(run, { renewLeaseMs: LEASE_MS });
      await clock.advance(LEASE_MS - 1);
      expect((await claim()).runs).toEqual([]);
      await clock.advance(1);
      expect((await claim()).runs).toHaveLength(1);
    });

    test("a renewal after expiry holds as long as nobody took the run", async () => {
      const { start, commitHeld, claim, clock } = scene();
      const run = await start();
      await clock.advance(LEASE_MS * 2);
      await commitHeld(run, { renewLeaseMs: LEASE_MS });
      expect((await claim()).runs).toEqual([]);
    });

    test("a renewal of a lost lease is a conflict and writes nothing (S2-019)", async () => {
      const { start, claimOne, commit, claim, clock } = scene();
      const lost = await start();
      await clock.advance(LEASE_MS);
      await claimOne();
      expect(await commit(lost, { renewLeaseMs: LEASE_MS * 100 })).toEqual({ kind: "conflict" });
      await clock.advance(LEASE_MS);
      expect((await claim()).runs).toHaveLength(1);
    });

    test("a renewal of a run that is pending again is a conflict and writes nothing (S2-019)", async () => {
      const { start, end, commit, claim } = scene();
      const run = await start();
      await end(run, { kind: "release" });
      expect(await commit(run, { renewLeaseMs: LEASE_MS })).toEqual({ kind: "conflict" });
      expect((await claim()).runs).toHaveLength(1);
    });

    const reason = outsideWrites === true ? "" : ` (skipped: ${outsideWrites})`;
    test.skipIf(outsideWrites !== true)(
      `a pending run with a lock in the future is claimable (S2-006, S2-020, S2-041)${reason}`,
      async () => {
        const { create, claimOne, fixture, clock } = scene();
        const { workflowName, instanceId, runNumber } = await create();
        await fixture.lockPendingTask?.(
          { workflowName, instanceId, runNumber },
          (await clock.now()) + LEASE_MS,
        );
        expect(await claimOne()).toMatchObject({ run: { instanceId }, lostLeases: 0 });
      },
    );
  });
}
