/** Several stores on one database at the same time, like several processes. */
import { describe, expect, test } from "vitest";
import type { ClaimedRun } from "../../ports/claim.ts";
import type { Store } from "../../ports/store.ts";
import { openWait, step } from "./builders.ts";
import {
  COMPLETE,
  commitOf,
  createVerbs,
  LEASE_MS,
  parkIn,
  type Scene,
  type SceneSource,
} from "./scene.ts";
import type { StoreCapabilities } from "./subject.ts";

async function withStores(
  { fixture, store }: Scene,
  count: number,
  work: (stores: readonly Store[]) => Promise<void>,
): Promise<void> {
  const others = await Promise.all(
    Array.from(
      { length: count - 1 },
      () => fixture.openAnother?.() ?? Promise.reject(new TypeError("openAnother")),
    ),
  );
  try {
    await work([store, ...others]);
  } finally {
    await Promise.all(others.map((other) => other.close()));
  }
}

async function createMany({ store, newInstance }: Scene, count: number): Promise<void> {
  for (let done = 0; done < count; done += 100) {
    await store.create(Array.from({ length: Math.min(100, count - done) }, () => newInstance()));
  }
}

export function describeRaces(scene: SceneSource, { severalStores }: StoreCapabilities): void {
  const reason = severalStores === true ? "" : ` (skipped: ${severalStores})`;
  describe.skipIf(severalStores !== true)(`several stores at once${reason}`, () => {
    test("8 claimers and 200 due runs: each run is claimed once, all are claimed (S0-087, S0-088, S0-092, S0-096)", async () => {
      const at = scene();
      await createMany(at, 200);
      await withStores(at, 8, async (stores) => {
        const claims = await Promise.all(
          stores.map((store) => claimUntilEmpty(store, at.workflowName)),
        );
        const ids = claims.flat().map(({ run }) => run.instanceId);
        expect(ids).toHaveLength(200);
        expect(new Set(ids).size).toBe(200);
      });
    });

    test("of 8 stores that create the same id one creates it", async () => {
      const at = scene();
      const { instanceId } = at.newInstance();
      await withStores(at, 8, async (stores) => {
        const results = await Promise.all(
          stores.map((store) => store.create([at.newInstance({ instanceId }), at.newInstance()])),
        );
        const kinds = results.map(([first]) => first?.kind ?? "none").toSorted();
        expect(kinds).toEqual(["created", ...Array.from({ length: 7 }, () => "exists")]);
        expect((await at.claim()).runs).toHaveLength(9);
      });
    });

    test("shared commits of the same runs, the old holder's and the new one's, end without deadlock (S0-088, S4-027)", async () => {
      const at = scene();
      await createMany(at, 40);
      const stale = (await at.claim()).runs;
      await at.clock.advance(LEASE_MS);
      const current = (await at.claim()).runs;
      await withStores(at, 2, async ([one, two]) => {
        const commits = (
          runs: readonly ClaimedRun[],
          result: string,
        ): Parameters<Store["commit"]>[0] =>
          runs.map((run) => commitOf(run, { changes: [step("s", { result })], outcome: COMPLETE }));
        const [lost, won] = await Promise.all([
          one?.commit(commits(stale, `"stale"`)),
          two?.commit(commits(current.toReversed(), `"current"`)),
        ]);
        expect(new Set(lost?.map((result) => result.kind))).toEqual(new Set(["conflict"]));
        expect(new Set(won?.map((result) => result.kind))).toEqual(new Set(["committed"]));
      });
      for (const { run } of current.slice(0, 5)) {
        expect((await at.history(run)).steps.items.map((item) => item.result)).toEqual([
          `"current"`,
        ]);
      }
    });

    test("an event sent while its run parks is never slept through (S0-127, S4-014)", async () => {
      const at = scene();
      await createMany(at, 30);
      const { runs } = await at.claim();
      const park = (run: ClaimedRun): ReturnType<typeof commitOf> =>
        commitOf(run, { outcome: parkIn(3_600_000), changes: [openWait("w", "go", null)] });
      await withStores(at, 2, async ([one, two]) => {
        if (one === undefined || two === undefined) throw new TypeError("two stores");
        const sender = createVerbs(two, at.workflowName);
        await Promise.all(
          runs.flatMap((run) => [one.commit([park(run)]), sender.send(run.run.instanceId, "go")]),
        );
      });
      const woken = (await at.claim()).runs;
      expect(woken).toHaveLength(30);
      expect(woken.every((run) => run.events.length === 1)).toBe(true);
    });

    test("S5-028 a resume that meets the commit of its pause never leaves the run paused", async () => {
      const at = scene();
      await createMany(at, 30);
      const { runs } = await at.claim();
      for (const { run } of runs) await at.control(run.instanceId, "pause");
      await withStores(at, 2, async ([one, two]) => {
        if (one === undefined || two === undefined) throw new TypeError("two stores");
        const other = createVerbs(two, at.workflowName);
        await Promise.all(
          runs.flatMap((run) => [
            one.commit([commitOf(run, { outcome: { kind: "pause" } })]),
            other.control(run.run.instanceId, "resume"),
          ]),
        );
      });
      for (const { run } of runs)
        expect(await at.load(run.instanceId)).toMatchObject({
          status: "queued",
          pauseRequested: false,
        });
      expect((await at.claim()).runs).toHaveLength(30);
    });

    test("S5-013 S5-023 events sent at once never pass the cap, and one id is stored once", async () => {
      const at = scene();
      const ids = await Promise.all(
        Array.from({ length: 6 }, async () => (await at.create()).instanceId),
      );
      // Paused: without a task, only the instance's own lock keeps senders apart.
      for (const id of ids.slice(3)) await at.control(id, "pause");
      const cap = { maxCount: 5, maxBytes: 1000 };
      await withStores(at, 3, async (stores) => {
        const senders = stores.map((store) => createVerbs(store, at.workflowName));
        const kinds = await Promise.all(
          ids.flatMap((id) =>
            senders.flatMap(({ send }, index) =>
              [1, 2, 3, 4].map(
                async (count) =>
                  (
                    await send(id, "go", "1", {
                      cap,
                      eventId: count === 1 ? "one" : `${index}-${count}`,
                    })
                  ).kind,
              ),
            ),
          ),
        );
        expect(new Set(kinds)).toEqual(new Set(["applied", "eventLimit"]));
      });
      for (const id of ids) {
        const run = { workflowName: at.workflowName, instanceId: id, runNumber: 1 };
        expect((await at.history(run)).events.items).toHaveLength(5);
      }
    });

    test("S5-023 restarts at once under one key restart once", async () => {
      const at = scene();
      const { instanceId } = await at.create();
      await withStores(at, 4, async (stores) => {
        await Promise.all(
          stores.map((store) =>
            createVerbs(store, at.workflowName).control(instanceId, "restart", {
              controlKey: "restart k",
            }),
          ),
        );
      });
      expect((await at.load(instanceId)).runNumber).toBe(2);
    });

    test("pause, commit and terminate that meet leave a consistent instance (S0-094)", async () => {
      const at = scene();
      await createMany(at, 20);
      const { runs } = await at.claim();
      await withStores(at, 3, async ([one, two, three]) => {
        if (one === undefined || two === undefined || three === undefined)
          throw new TypeError("three stores");
        const second = createVerbs(two, at.workflowName);
        const third = createVerbs(three, at.workflowName);
        await Promise.all(
          runs.map(async (run) => {
            const released = one.commit([commitOf(run, { outcome: { kind: "release" } })]);
            const paused = second.control(run.run.instanceId, "pause");
            await third.control(run.run.instanceId, "terminate");
            await Promise.all([released, paused]);
          }),
        );
      });
      for (const { run } of runs) expect((await at.load(run.instanceId)).status).toBe("terminated");
      expect(await at.claim()).toMatchObject({ runs: [], nextWakeAt: null });
    });
  });
}

async function claimUntilEmpty(store: Store, workflowName: string): Promise<ClaimedRun[]> {
  const claimed: ClaimedRun[] = [];
  const { claim } = createVerbs(store, workflowName);
  // A claimer that meets locked rows finds fewer than there are, so one empty claim is not the end.
  for (let emptyClaims = 0; emptyClaims < 3;) {
    const { runs } = await claim({ limit: 7 });
    claimed.push(...runs);
    emptyClaims = runs.length === 0 ? emptyClaims + 1 : 0;
  }
  return claimed;
}
