/** Many runs in one commit: each is fenced by itself. */
import { describe, expect, test } from "vitest";
import type { RunOutcome } from "../../core/model/change.ts";
import { errorOf, step } from "./builders.ts";
import { COMPLETE, commitOf, LEASE_MS, parkIn, type Scene, type SceneSource } from "./scene.ts";

async function startMany({ create, claim }: Scene, count: number): ReturnType<typeof claimSorted> {
  for (let index = 0; index < count; index += 1) await create();
  return claimSorted(claim);
}

const claimSorted = async (
  claim: Scene["claim"],
): Promise<Awaited<ReturnType<Scene["claim"]>>["runs"]> => (await claim({ limit: 1000 })).runs;

export function describeSharedCommits(scene: SceneSource): void {
  describe("shared commits", () => {
    test("one lost lease fails only its own commit; results keep their order (S0-088)", async () => {
      const at = scene();
      const runs = await startMany(at, 4);
      const lost = runs[1];
      if (lost === undefined) throw new TypeError("four runs were started");
      await at.control(lost.run.instanceId, "terminate");
      const results = await at.store.commit(
        runs.map((run) => commitOf(run, { changes: [step("shared")] })),
      );
      expect(results.map((result) => result.kind)).toEqual([
        "committed",
        "conflict",
        "committed",
        "committed",
      ]);
      for (const run of runs) {
        expect((await at.history(run.run)).steps.items).toHaveLength(run === lost ? 0 : 1);
      }
    });

    test("every outcome may ride in one call, each with its own effect", async () => {
      const at = scene();
      const outcomes: readonly RunOutcome[] = [
        { kind: "continue" },
        parkIn(1000),
        { kind: "release" },
        { kind: "pause" },
        COMPLETE,
        { kind: "fail", error: errorOf("Error", "m") },
        parkIn(5),
      ];
      const runs = await startMany(at, outcomes.length);
      const pausing = runs.at(-1)?.run.instanceId ?? "";
      await at.control(pausing, "pause");
      await at.control(runs[3]?.run.instanceId ?? "", "pause");
      const now = await at.clock.now();
      const results = await at.store.commit(
        runs.map((run, index) =>
          commitOf(run, { outcome: outcomes[index] ?? COMPLETE, changes: [step(`s${index}`)] }),
        ),
      );
      expect(results).toMatchObject([
        { kind: "committed", paused: false, dueAt: null },
        { kind: "committed", paused: false, dueAt: now + 1000 },
        { kind: "committed", paused: false, dueAt: now },
        { kind: "committed", paused: true, dueAt: null },
        { kind: "committed", paused: false, dueAt: null },
        { kind: "committed", paused: false, dueAt: null },
        { kind: "committed", paused: true, dueAt: null },
      ]);
      const statuses = await Promise.all(
        runs.map(async ({ run }) => (await at.load(run.instanceId)).status),
      );
      expect(statuses).toEqual([
        "running",
        "waiting",
        "queued",
        "paused",
        "complete",
        "errored",
        "paused",
      ]);
      const steps = await Promise.all(
        runs.map(async ({ run }) => (await at.history(run)).steps.items[0]?.stepKey),
      );
      expect(steps).toEqual(outcomes.map((_, index) => `s${index}`));
      expect((await at.claim()).runs.map(({ run }) => run.instanceId)).toEqual([
        runs[2]?.run.instanceId,
      ]);
    });

    test("new events and pause requests come back to the run that they belong to", async () => {
      const at = scene();
      const runs = await startMany(at, 3);
      const [first, second] = runs;
      await at.send(first?.run.instanceId ?? "", "a");
      await at.send(first?.run.instanceId ?? "", "b");
      await at.control(second?.run.instanceId ?? "", "pause");
      const results = await at.store.commit(runs.map((run) => commitOf(run)));
      expect(results).toMatchObject([
        { pauseRequested: false, events: [{ type: "a" }, { type: "b" }] },
        { pauseRequested: true, events: [] },
        { pauseRequested: false, events: [] },
      ]);
    });

    test("runs that write steps and ask for no events are fenced each by itself, and hear of their own pause", async () => {
      const at = scene();
      const runs = await startMany(at, 3);
      const [, pausing, ended] = runs.map(({ run }) => run.instanceId);
      await at.control(pausing ?? "", "pause");
      await at.control(ended ?? "", "terminate");
      const results = await at.store.commit(
        runs.map((run) =>
          commitOf(run, { changes: [step("one"), step("two")], readsEvents: false }),
        ),
      );
      expect(results).toMatchObject([
        { kind: "committed", pauseRequested: false, paused: false, events: [], dueAt: null },
        { kind: "committed", pauseRequested: true, paused: false, events: [], dueAt: null },
        { kind: "conflict" },
      ]);
      const counts = await Promise.all(
        runs.map(async ({ run }) => (await at.history(run)).steps.items.length),
      );
      expect(counts).toEqual([2, 2, 0]);
    });

    test("a run alone that writes a step and renews its lease hears of its pause", async () => {
      const at = scene();
      const [run] = await startMany(at, 1);
      if (run === undefined) throw new TypeError("a run was started");
      await at.control(run.run.instanceId, "pause");
      const renewing = { changes: [step("one")], readsEvents: false, renewLeaseMs: 2 * LEASE_MS };
      expect(await at.store.commit([commitOf(run, renewing)])).toMatchObject([
        { kind: "committed", pauseRequested: true, events: [] },
      ]);
      await at.clock.advance(LEASE_MS);
      expect((await at.claim()).runs).toEqual([]);
    });

    test("runs whose leases were all lost are conflicts, every one", async () => {
      const at = scene();
      const runs = await startMany(at, 3);
      await at.clock.advance(LEASE_MS);
      await at.claim();
      const results = await at.store.commit(
        runs.map((run) => commitOf(run, { outcome: COMPLETE })),
      );
      expect(results).toEqual(runs.map(() => ({ kind: "conflict" })));
    });

    test("a hundred runs with ten steps each are one call", async () => {
      const at = scene();
      const created = await at.store.create(Array.from({ length: 100 }, () => at.newInstance()));
      expect(created).toHaveLength(100);
      const runs = await claimSorted(at.claim);
      const changes = Array.from({ length: 10 }, (_, index) => `k${index}`);
      const results = await at.store.commit(
        runs.map((run) =>
          commitOf(run, { changes: changes.map((key) => step(key)), outcome: { kind: "release" } }),
        ),
      );
      expect(new Set(results.map((result) => result.kind))).toEqual(new Set(["committed"]));
      const again = await claimSorted(at.claim);
      expect(again.map((run) => run.settled.length)).toEqual(runs.map(() => 10));
    });
  });
}
