/** Runs that end the processes which hold them: leases that back off, claims that take them alone or leave them. */
import { describe, expect, test } from "vitest";
import type { ClaimRequest, ClaimResult } from "../../ports/claim.ts";
import { newId, step } from "./builders.ts";
import { LEASE_MS, type Scene, type SceneSource } from "./scene.ts";

/** Creates a run and lets so many leases of it end without a commit. */
async function lose(at: Scene, leases: number): Promise<string> {
  const { instanceId } = await at.create();
  for (let lease = 0; lease < leases; lease += 1) {
    await at.claimOne({ leaseMs: 10 });
    const endsAt = (await at.claim({ limit: 0 })).nextWakeAt ?? 0;
    await at.clock.advance(endsAt - (await at.clock.now()));
  }
  return instanceId;
}

const idsOf = ({ runs }: ClaimResult): readonly string[] =>
  runs.map((claimed) => claimed.run.instanceId);

export function describeSuspects(scene: SceneSource): void {
  describe("suspects", () => {
    test("S5-014 from the third takeover in a row on leases double, up to ten minutes", async () => {
      const { create, claimOne, claim, clock } = scene();
      await create();
      const leases: number[] = [];
      for (let attempt = 0; attempt < 12; attempt += 1) {
        const claimedAt = await clock.now();
        await claimOne({ leaseMs: 8000 });
        const until = (await claim({ limit: 0 })).nextWakeAt ?? 0;
        leases.push((until - claimedAt) / 1000);
        await clock.advance(until - claimedAt - 1);
        expect(idsOf(await claim({ leaseMs: 8000 }))).toEqual([]);
        await clock.advance(1);
      }
      expect(leases).toEqual([8, 8, 8, 8, 16, 32, 64, 128, 256, 512, 600, 600]);
    });

    test("S5-014 a commit ends the back-off", async () => {
      const at = scene();
      await lose(at, 6);
      await at.commitHeld(await at.claimOne({ leaseMs: 8000 }), {
        changes: [step("a")],
        clearsLostLeases: true,
        renewLeaseMs: 8000,
      });
      expect((await at.claim({ limit: 0 })).nextWakeAt).toBe((await at.clock.now()) + 8000);
      await at.clock.advance(8000);
      await at.claimOne({ leaseMs: 8000 });
      expect((await at.claim({ limit: 0 })).nextWakeAt).toBe((await at.clock.now()) + 8000);
    });

    test("S5-014 a renewal without progress does not shorten a lease that backs off", async () => {
      const at = scene();
      await lose(at, 6);
      const run = await at.claimOne({ leaseMs: 8000 });
      const until = (await at.clock.now()) + 64_000;
      await at.commitHeld(run, { renewLeaseMs: 8000 });
      expect((await at.claim({ limit: 0 })).nextWakeAt).toBe(until);
      await at.clock.advance(60_000);
      await at.commitHeld(run, { renewLeaseMs: 8000 });
      expect((await at.claim({ limit: 0 })).nextWakeAt).toBe(until + 4000);
    });

    test("S5-015 a claim that leaves suspects takes the others and tells that one is due", async () => {
      const at = scene();
      const suspect = await lose(at, 2);
      const other = (await at.create()).instanceId;
      const result = await at.claim({ suspects: "leave" });
      expect(idsOf(result)).toEqual([other]);
      expect(result.suspectDue).toBe(true);
      const again = await at.claim({ suspects: "leave" });
      expect(again).toMatchObject({ runs: [], suspectDue: true });
      expect(again.nextWakeAt).toBe((await at.clock.now()) + LEASE_MS);
      expect(idsOf(await at.claim())).toEqual([suspect]);
    });

    test("S5-015 a claim for one alone takes the suspect due longest and nothing else", async () => {
      const at = scene();
      const first = await lose(at, 1);
      const second = (await at.create()).instanceId;
      expect(idsOf(await at.claim({ leaseMs: 10 }))).toEqual([first, second]);
      await at.clock.advance(10);
      expect(idsOf(await at.claim({ leaseMs: 20, suspects: "leave" }))).toEqual([second]);
      await at.clock.advance(20);
      const other = (await at.create()).instanceId;
      const claim = (request: Partial<ClaimRequest>): Promise<ClaimResult> =>
        at.claim({ suspects: "alone", ...request });
      expect(await claim({ limit: 0 })).toMatchObject({ runs: [], suspectDue: true });
      const one = await claim({});
      expect([idsOf(one), one.suspectDue]).toEqual([[first], true]);
      const two = await claim({});
      expect([idsOf(two), two.suspectDue]).toEqual([[second], false]);
      const three = await claim({});
      expect([idsOf(three), three.suspectDue]).toEqual([[other], false]);
    });

    test("S5-015 a run is no suspect for one lost lease, nor while its lease holds", async () => {
      const at = scene();
      const once = await lose(at, 1);
      expect(idsOf(await at.claim({ suspects: "leave", leaseMs: 10 }))).toEqual([once]);
      expect(await at.claim({ suspects: "alone" })).toMatchObject({ runs: [], suspectDue: false });
      expect((await at.claim({ suspects: "leave" })).nextWakeAt).toBe((await at.clock.now()) + 10);
      await at.clock.advance(10);
      expect(await at.claim({ suspects: "leave" })).toMatchObject({ runs: [], suspectDue: true });
      expect(idsOf(await at.claim({ suspects: "alone" }))).toEqual([once]);
    });

    test("S5-015 suspects of workflows that the process does not have are nothing to it", async () => {
      const at = scene();
      await lose(at, 2);
      const request = { workflowNames: [`W${newId()}`], suspects: "alone" } as const;
      expect(await at.claim(request)).toMatchObject({ runs: [], suspectDue: false });
    });
  });

  describe("former leases", () => {
    test("S5-022 a process that comes back takes its own leases at once, and no others", async () => {
      const at = scene();
      const runner = `r${newId()}`;
      const own = await at.create();
      await at.claimOne({ token: `${runner}~${newId()}` });
      const others = await at.create();
      await at.claimOne({ token: `${runner}2~${newId()}` });
      expect(idsOf(await at.claim({ formerRunnerId: null }))).toEqual([]);
      const back = await at.claim({ formerRunnerId: runner, token: `${runner}~${newId()}` });
      expect(idsOf(back)).toEqual([own.instanceId]);
      expect(back.runs[0]?.lostLeases).toBe(1);
      await at.clock.advance(LEASE_MS);
      expect(idsOf(await at.claim())).toEqual([own.instanceId, others.instanceId]);
    });

    test("S5-022 leases of the present life stay, however late its first claim arrives", async () => {
      const at = scene();
      const runner = `r${newId()}`;
      const former = await at.create();
      await at.claimOne({ token: `${runner}~old~${newId()}` });
      await at.create();
      await at.claimOne({ token: `${runner}~new~${newId()}` });
      const token = `${runner}~new~${newId()}`;
      const back = await at.claim({ formerRunnerId: runner, life: "new", token });
      expect(idsOf(back)).toEqual([former.instanceId]);
    });

    test("S5-022 what the former life still writes is refused", async () => {
      const at = scene();
      const runner = `r${newId()}`;
      await at.create();
      const late = await at.claimOne({ token: `${runner}~${newId()}` });
      await at.claimOne({ formerRunnerId: runner, token: `${runner}~${newId()}` });
      expect(await at.commit(late, { changes: [step("a")] })).toEqual({ kind: "conflict" });
    });

    test("an id with the letters of a pattern stands for itself", async () => {
      const at = scene();
      await at.create();
      await at.claimOne({ token: `a%_~${newId()}` });
      expect(idsOf(await at.claim({ formerRunnerId: "%" }))).toEqual([]);
      expect(idsOf(await at.claim({ formerRunnerId: "a%_" }))).toHaveLength(1);
    });
  });
}
