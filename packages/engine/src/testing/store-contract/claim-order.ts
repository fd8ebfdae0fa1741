/** The order of claims: resuming before starting, oldest first, with ageing. */
import { describe, expect, test } from "vitest";
import { STARTING_TASK_HANDICAP_MS } from "../../ports/claim.ts";
import { LEASE_MS, parkIn, type Scene, type SceneSource } from "./scene.ts";

/** Ids in the order in which claims with a limit of one find them. */
async function claimAll({ claim }: Scene): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const [run] = (await claim({ limit: 1 })).runs;
    if (run === undefined) return ids;
    ids.push(run.run.instanceId);
  }
}

/** A parked run that becomes due `inMs` from now. */
async function parked({ start, end }: Scene, inMs: number): Promise<string> {
  const run = await start();
  await end(run, parkIn(inMs));
  return run.run.instanceId;
}

export function describeClaimOrder(scene: SceneSource): void {
  describe("claim order", () => {
    test("resuming runs go before starting ones that are a little older (S0-097)", async () => {
      const at = scene();
      const resuming = await parked(at, 20);
      const starting = (await at.create()).instanceId;
      await at.clock.advance(20);
      expect(await claimAll(at)).toEqual([resuming, starting]);
    });

    test("among resuming runs the one due longest goes first (S0-097)", async () => {
      const at = scene();
      const late = await parked(at, 30);
      const early = await parked(at, 10);
      const middle = await parked(at, 20);
      await at.clock.advance(30);
      expect(await claimAll(at)).toEqual([early, middle, late]);
    });

    test("among starting runs the oldest goes first (S0-097)", async () => {
      const at = scene();
      const ids: string[] = [];
      for (let count = 0; count < 3; count += 1) {
        ids.push((await at.create()).instanceId);
        await at.clock.advance(1);
      }
      expect(await claimAll(at)).toEqual(ids);
    });

    test("a starting run 30 s older than a resuming one goes first, so that neither starves", async () => {
      const at = scene();
      const resuming = await parked(at, STARTING_TASK_HANDICAP_MS + 1);
      const starting = (await at.create()).instanceId;
      await at.clock.advance(STARTING_TASK_HANDICAP_MS + 1);
      expect(await claimAll(at)).toEqual([starting, resuming]);
    });

    test("a starting run not yet 30 s older waits for the resuming one", async () => {
      const at = scene();
      const resuming = await parked(at, STARTING_TASK_HANDICAP_MS - 1);
      const starting = (await at.create()).instanceId;
      await at.clock.advance(STARTING_TASK_HANDICAP_MS - 1);
      expect(await claimAll(at)).toEqual([resuming, starting]);
    });

    test("one claim of many lists its runs in the same order", async () => {
      const at = scene();
      const resuming = await parked(at, 20);
      const first = (await at.create()).instanceId;
      await at.clock.advance(20);
      const second = (await at.create()).instanceId;
      const { runs } = await at.claim();
      expect(runs.map((run) => run.run.instanceId)).toEqual([resuming, first, second]);
    });

    test("a run whose lease expired keeps its place in the order", async () => {
      const at = scene();
      const lost = await at.start();
      await at.clock.advance(1);
      const resuming = await parked(at, LEASE_MS);
      await at.clock.advance(LEASE_MS);
      expect(await claimAll(at)).toEqual([lost.run.instanceId, resuming]);
    });
  });
}
