/** Retention: what ended long enough ago is found and goes with its family; nobody does who is alive, or who is to stay. */
import { describe, expect, test } from "vitest";
import type { EndStatus } from "../../core/retention.ts";
import type { ClaimedRun } from "../../ports/claim.ts";
import { type ExpiredPage, type ExpiryRule, RETAIN_CHUNK } from "../../ports/retain.ts";
import type { PagePosition } from "../../ports/pages.ts";
import { errorOf, newId, step } from "./builders.ts";
import { bear, newChild } from "./family.ts";
import { commitOf, COMPLETE, type Scene, type SceneSource } from "./scene.ts";

const DAY_MS = 86_400_000;
const FAILED = { kind: "fail", error: errorOf("Error", "m") } as const;

async function find(
  { store, workflowName }: Scene,
  status: EndStatus,
  after: PagePosition | null = null,
): Promise<ExpiredPage> {
  const { pages } = await store.findExpired([{ workflowName, status, keepMs: DAY_MS, after }]);
  return pages[0] as ExpiredPage;
}

const idsOf = ({ expired }: ExpiredPage): readonly string[] =>
  expired.map(({ instanceId }) => instanceId);

const exists = async ({ store, workflowName }: Scene, instanceId: string): Promise<boolean> =>
  (await store.loadInstance(workflowName, instanceId)) !== null;

/** Rules by which instances go that ended a day ago. */
async function rulesOf(
  { clock, workflowName }: Scene,
  statuses: readonly EndStatus[] = ["complete", "errored", "terminated"],
): Promise<readonly ExpiryRule[]> {
  const before = (await clock.now()) - DAY_MS;
  return statuses.map((status) => ({ workflowName, status, before }));
}

async function remove(
  scene: Scene,
  instanceIds: readonly string[],
  rules?: readonly ExpiryRule[],
): Promise<number> {
  const { store, workflowName } = scene;
  const instances = instanceIds.map((instanceId) => ({ workflowName, instanceId }));
  const { count } = await store.deleteExpired({
    instances,
    rules: rules ?? (await rulesOf(scene)),
  });
  return count;
}

/** Instances that end at once. */
async function endMany(scene: Scene, count: number): Promise<void> {
  const { store } = scene;
  for (let begun = 0; begun < count; begun += 100) {
    const some = Math.min(100, count - begun);
    await store.create(Array.from({ length: some }, () => scene.newInstance()));
    const { runs } = await scene.claim();
    await store.commit(runs.map((run) => commitOf(run, { outcome: COMPLETE })));
  }
}

const manySteps = (count: number) =>
  Array.from({ length: count }, (_, index) => step(`s${index}`, { id: newId() }));

const refOf = ({ workflowName }: Scene, { run }: ClaimedRun) => ({
  workflowName,
  instanceId: run.instanceId,
});

export function describeRetain(source: SceneSource): void {
  describe("retention", () => {
    test("S8-005 S4-054 those are found that ended so, and longer ago than their rule says, with what they weigh", async () => {
      const scene = source();
      const [full, failed, late] = [await scene.start(), await scene.start(), await scene.start()];
      const { instanceId } = full.run;
      await scene.send(instanceId, "go");
      await scene.end(full, COMPLETE, [step("a", { id: newId() }), step("b", { id: newId() })]);
      await scene.end(failed, FAILED);
      const live = await scene.create();
      await scene.clock.advance(DAY_MS);
      expect(await find(scene, "complete")).toEqual({ expired: [], next: null });
      await scene.end(late, COMPLETE);
      await scene.clock.advance(1);
      const own = { workflowName: scene.workflowName, childCount: 0, childRowCount: 0 };
      expect(await find(scene, "complete")).toEqual({
        expired: [{ ...own, instanceId, rowCount: 3 }],
        next: null,
      });
      expect(idsOf(await find(scene, "errored"))).toEqual([failed.run.instanceId]);
      expect(await find(scene, "terminated")).toEqual({ expired: [], next: null });
      expect(await remove(scene, [instanceId, late.run.instanceId, live.instanceId])).toBe(1);
      expect(await exists(scene, instanceId)).toBe(false);
      for (const stays of [failed.run.instanceId, late.run.instanceId, live.instanceId])
        expect(await exists(scene, stays)).toBe(true);
    });

    test("S8-005 one that went has left nothing that a new one of its id would find", async () => {
      const scene = source();
      const run = await scene.start();
      const { instanceId } = run.run;
      await scene.send(instanceId, "go");
      await scene.end(run, COMPLETE, [step("a")]);
      await scene.clock.advance(DAY_MS + 1);
      expect(await remove(scene, [instanceId])).toBe(1);
      expect(await remove(scene, [instanceId, "nobody"])).toBe(0);
      await scene.create({ instanceId });
      const { steps, events } = await scene.history(run.run);
      expect([steps.items, events.items]).toEqual([[], []]);
    });

    test("S8-005 no rule, no delete: not of how it ended, and not once it is alive again or ended anew", async () => {
      const scene = source();
      const run = await scene.start();
      const { instanceId } = run.run;
      await scene.end(run, FAILED);
      await scene.clock.advance(DAY_MS + 1);
      const rules = await rulesOf(scene);
      expect(await remove(scene, [instanceId], await rulesOf(scene, ["complete"]))).toBe(0);
      await scene.control(instanceId, "retry");
      expect(await remove(scene, [instanceId], rules)).toBe(0);
      await scene.end(await scene.claimOne(), FAILED);
      expect(await remove(scene, [instanceId], rules)).toBe(0);
      expect(await exists(scene, instanceId)).toBe(true);
    });

    test("S8-005 a child stays with its parent, and goes with it", async () => {
      const scene = source();
      const parent = await scene.start();
      const { instanceId, child } = await bear(scene, parent);
      await scene.end(child, COMPLETE, [step("deep")]);
      await scene.end(parent, COMPLETE);
      await scene.clock.advance(DAY_MS + 1);
      const { expired } = await find(scene, "complete");
      expect(expired).toMatchObject([
        { instanceId: parent.run.instanceId, childCount: 1, childRowCount: 1 },
      ]);
      expect(await remove(scene, [instanceId])).toBe(0);
      expect(await remove(scene, [parent.run.instanceId])).toBe(2);
      expect(await exists(scene, instanceId)).toBe(false);
    });

    test("S8-005 none of a family goes as long as one below is alive, or is to stay", async () => {
      const scene = source();
      const parent = await scene.start();
      const middle = await bear(scene, parent);
      const below = await bear(scene, middle.child);
      await scene.end(middle.child, COMPLETE);
      await scene.end(parent, COMPLETE);
      await scene.clock.advance(DAY_MS + 1);
      const { instanceId } = parent.run;
      expect(await remove(scene, [instanceId])).toBe(0);
      await scene.end(below.child, FAILED);
      expect(await remove(scene, [instanceId])).toBe(0);
      await scene.clock.advance(DAY_MS + 1);
      expect(await remove(scene, [instanceId], await rulesOf(scene, ["complete"]))).toBe(0);
      expect(await exists(scene, middle.instanceId)).toBe(true);
      expect(await remove(scene, [instanceId])).toBe(3);
    });

    test("S8-005 a child of an earlier run goes by itself, and its parent goes on", async () => {
      const scene = source();
      const parent = await scene.start();
      const { instanceId, child } = await bear(scene, parent);
      await scene.end(child, COMPLETE);
      await scene.control(parent.run.instanceId, "restart");
      await scene.clock.advance(DAY_MS + 1);
      expect(idsOf(await find(scene, "complete"))).toEqual([instanceId]);
      expect(await remove(scene, [instanceId])).toBe(1);
      expect((await scene.load(parent.run.instanceId)).status).toBe("queued");
    });

    test("S8-005 a walk goes on where it was, past those that are to stay, and comes to its end", async () => {
      const scene = source();
      const { looked } = RETAIN_CHUNK;
      const longLived = await scene.start();
      await endMany(scene, looked + 5);
      await scene.clock.advance(DAY_MS);
      await scene.end(longLived, COMPLETE);
      await scene.clock.advance(1);
      const first = await find(scene, "complete");
      expect(first.next).not.toBeNull();
      const second = await find(scene, "complete", first.next);
      expect(second.next).toBeNull();
      const ids = [...idsOf(first), ...idsOf(second)];
      expect(new Set(ids).size).toBe(looked + 5);
      expect(ids).not.toContain(longLived.run.instanceId);
    });

    test("S8-005 of one that has more rows than may go at once, a part goes, and nobody takes the rest for its history", async () => {
      const scene = source();
      const { store } = scene;
      const run = await scene.start();
      await scene.end(run, FAILED, manySteps(RETAIN_CHUNK.rows + 2));
      await scene.clock.advance(DAY_MS + 1);
      const [found] = (await find(scene, "errored")).expired;
      expect(found?.rowCount).toBeGreaterThan(RETAIN_CHUNK.rows);
      const instance = refOf(scene, run);
      const rules = await rulesOf(scene);
      const before = await scene.load(instance.instanceId);
      await store.emptyExpired({ instance, rules: [] });
      expect(await scene.load(instance.instanceId)).toEqual(before);
      await store.emptyExpired({ instance, rules });
      const { status, error, completedAt, runNumber } = await scene.load(instance.instanceId);
      expect({ status, error, completedAt }).toEqual({
        status: before.status,
        error: before.error,
        completedAt: before.completedAt,
      });
      expect(runNumber).toBe(2);
      await scene.control(instance.instanceId, "retry");
      const again = await scene.claimOne();
      expect([again.run.runNumber, again.settled, again.open]).toEqual([2, [], []]);
      expect(await remove(scene, [instance.instanceId], rules)).toBe(0);
      await scene.end(again, COMPLETE);
      await scene.clock.advance(DAY_MS + 1);
      expect(await remove(scene, [instance.instanceId])).toBe(1);
      expect((await scene.history(run.run)).steps.items).toEqual([]);
    });

    test("S8-005 one that was emptied lets its children go, and goes after them", async () => {
      const scene = source();
      const { store } = scene;
      const parent = await scene.start();
      const { instanceId, child } = await bear(scene, parent);
      await scene.end(child, COMPLETE);
      await scene.end(parent, COMPLETE);
      await scene.clock.advance(DAY_MS + 1);
      await store.emptyExpired({ instance: refOf(scene, parent), rules: await rulesOf(scene) });
      const ids = idsOf(await find(scene, "complete"));
      expect(ids.toSorted()).toEqual([parent.run.instanceId, instanceId].toSorted());
      expect(await remove(scene, ids)).toBe(2);
    });

    test("S8-005 one is not emptied as long as one below is alive, or is to stay, or a parent holds it", async () => {
      const scene = source();
      const { store } = scene;
      const parent = await scene.start();
      const middle = await bear(scene, parent);
      const below = await bear(scene, middle.child);
      await scene.end(middle.child, COMPLETE);
      await scene.end(parent, COMPLETE, [step("a", { id: newId() })]);
      await scene.clock.advance(DAY_MS + 1);
      const instance = refOf(scene, parent);
      const before = await scene.load(instance.instanceId);
      const rows = (await scene.history(parent.run)).steps.items.length;
      const empty = async (ref: typeof instance, statuses?: readonly EndStatus[]) =>
        store.emptyExpired({ instance: ref, rules: await rulesOf(scene, statuses) });
      expect(await empty(instance)).toBe(false);
      await scene.end(below.child, FAILED);
      await scene.clock.advance(DAY_MS + 1);
      expect(await empty(instance, ["complete"])).toBe(false);
      expect(await empty(refOf(scene, middle.child))).toBe(false);
      expect(await scene.load(instance.instanceId)).toEqual(before);
      expect((await scene.history(parent.run)).steps.items).toHaveLength(rows);
      expect(await empty(instance)).toBe(true);
      expect((await scene.load(instance.instanceId)).runNumber).toBe(2);
    });

    test("S8-005 a family of more members than may go at once is told of as such, and stays", async () => {
      const scene = source();
      const { store } = scene;
      const parent = await scene.start();
      const changes = Array.from({ length: RETAIN_CHUNK.members }, () => newChild(scene));
      await scene.commitHeld(parent, { changes });
      for (const { instanceId } of changes) await scene.control(instanceId, "terminate");
      await scene.end(parent, COMPLETE);
      await scene.clock.advance(DAY_MS + 1);
      const rules = await rulesOf(scene);
      const instances = [refOf(scene, parent)];
      expect(await store.deleteExpired({ instances, rules })).toEqual({
        count: 0,
        isTooLarge: true,
      });
      expect(await exists(scene, parent.run.instanceId)).toBe(true);
    });

    test("S8-005 of purges and restarts at the same time, each finds the instance whole or not at all", async () => {
      const scene = source();
      for (let round = 0; round < 5; round += 1) {
        const run = await scene.start();
        const { instanceId } = run.run;
        await scene.end(run, COMPLETE, [step("a", { id: newId() })]);
        await scene.clock.advance(DAY_MS + 1);
        const rules = await rulesOf(scene);
        const [first, restarted, second] = await Promise.all([
          remove(scene, [instanceId], rules),
          scene.control(instanceId, "restart"),
          remove(scene, [instanceId], rules),
        ]);
        const isRestarted = restarted.kind === "applied";
        expect([first + second, await exists(scene, instanceId)]).toEqual(
          isRestarted ? [0, true] : [1, false],
        );
        if (isRestarted) await scene.end(await scene.claimOne(), COMPLETE);
        if (isRestarted) expect((await scene.history(run.run)).steps.items).toHaveLength(1);
      }
    });
  });
}
