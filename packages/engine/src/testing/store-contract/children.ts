/** Effects of commits and commands on children: their creation, their ends, and who learns of them. */
import { describe, expect, test } from "vitest";
import { NEVER_AT } from "../../core/decide/park.ts";
import { toLeaseToken } from "../../core/lease.ts";
import type { ParentNotice } from "../../core/model/change.ts";
import type { ClaimedRun } from "../../ports/claim.ts";
import { newId } from "./builders.ts";
import { COMPLETE, commitOf, type SceneSource } from "./scene.ts";
import { FAR, newChild, waitFor, family } from "./family.ts";

const END = { rowId: "", payload: `{"status":"complete","output":1}` };

const told = ({ parent }: ClaimedRun, payload = END.payload): ParentNotice => {
  if (parent === null) throw new TypeError("no child");
  return { kind: "parentTold", parent, event: { rowId: newId(), payload } };
};

export function describeChildren(source: SceneSource): void {
  describe("children", () => {
    test("S6-012 a child is created with its parent's commit, and its claim says whose it is", async () => {
      const scene = source();
      const { parent, created, child } = await family(scene, { onParentEnd: "rollback" });
      const ref = { ...parent.run, stepKey: "c", onParentEnd: "rollback" };
      expect(child).toMatchObject({ params: `{"n":1}`, parent: ref, endRequested: null });
      expect(await scene.load(created.instanceId)).toMatchObject({
        status: "running",
        parent: ref,
      });
      expect(parent.parent).toBe(null);
    });

    test("S6-012 one that its parent's runner claims with its creation is found by no claim", async () => {
      const scene = source();
      const parent = await scene.start();
      const claim = { token: newId(), leaseMs: 60_000 };
      const created = newChild(scene, { claim });
      const taken = newChild(scene, { claim, stepKey: "d", instanceId: parent.run.instanceId });
      const result = await scene.commitHeld(parent, { changes: [created, taken] });
      expect(result.children).toEqual([created.taskRowId]);
      expect((await scene.claim()).runs).toEqual([]);
      const { instanceId } = created;
      const now = await scene.clock.now();
      expect(await scene.load(instanceId)).toMatchObject({ status: "running", startedAt: now });
      const lease = {
        taskId: created.taskRowId,
        token: toLeaseToken(claim.token, 1),
        instanceRowId: created.instanceRowId,
      };
      const child = { ...parent, lease, run: { ...parent.run, instanceId } };
      await scene.end(child, COMPLETE);
    });

    test("S6-012 one is created also by a boundary that writes a single step beside it", async () => {
      const scene = source();
      const parent = await scene.start();
      const created = newChild(scene);
      const changes = [waitFor(created), created];
      expect(await scene.commitHeld(parent, { changes, readsEvents: false })).toMatchObject({
        children: [created.taskRowId],
      });
      expect((await scene.claimOne()).run.instanceId).toBe(created.instanceId);
    });

    test("S6-013 a commit that comes twice, or late, creates none", async () => {
      const scene = source();
      const parent = await scene.start();
      const created = newChild(scene);
      const commit = commitOf(parent, { outcome: FAR, changes: [waitFor(created), created] });
      await scene.store.commit([commit]);
      await scene.store.commit([{ ...commit, isRepeat: true }]);
      expect((await scene.claim()).runs).toHaveLength(1);
      const late = newChild(scene);
      expect(await scene.commit(parent, { changes: [late] })).toEqual({ kind: "conflict" });
      expect((await scene.claim()).runs).toEqual([]);
      expect(await scene.store.loadInstance(late.workflowName, late.instanceId)).toBe(null);
    });

    test("S6-013 a repeat that finds its child there does not tell of it again: it began when the first one said", async () => {
      const scene = source();
      const parent = await scene.start();
      const created = newChild(scene, { claim: { token: newId(), leaseMs: 60_000 } });
      const changes = [waitFor(created), created];
      const outcome = { kind: "continue" } as const;
      const commit = commitOf(parent, { outcome, changes });
      expect(await scene.store.commit([commit])).toMatchObject([{ children: [created.taskRowId] }]);
      const [repeat] = await scene.store.commit([{ ...commit, isRepeat: true }]);
      expect(repeat).toMatchObject({ kind: "committed" });
      expect(repeat).not.toHaveProperty("children");
    });

    test("S6-012 an id that is taken is left alone; the step is told of it, and due", async () => {
      const scene = source();
      const other = await scene.start();
      const parent = await scene.start();
      const created = newChild(scene, { instanceId: other.run.instanceId });
      await scene.end(parent, FAR, [waitFor(created), created]);
      const again = await scene.claimOne();
      expect(again.run).toEqual(parent.run);
      expect(again.events).toMatchObject([
        { type: `child ${created.instanceId} c`, payload: created.refusal.payload },
      ]);
      expect((await scene.load(other.run.instanceId)).parent).toBe(null);
    });

    test("S6-012 a child's end is told in its own commit, and makes the parent due", async () => {
      const scene = source();
      const { parent, child } = await family(scene);
      await scene.end(child, COMPLETE, [told(child)]);
      const again = await scene.claimOne();
      expect(again.run).toEqual(parent.run);
      expect(again.events).toMatchObject([{ payload: END.payload, deliveredAt: null }]);
    });

    test("S6-013 it is told once, whatever comes twice or late", async () => {
      const scene = source();
      const { child } = await family(scene);
      const commit = commitOf(child, { outcome: COMPLETE, changes: [told(child)] });
      await scene.store.commit([commit]);
      await scene.store.commit([{ ...commit, isRepeat: true }]);
      await scene.control(child.run.instanceId, "restart");
      const runs = (await scene.claim()).runs;
      const second = runs.find(({ parent }) => parent !== null) as ClaimedRun;
      await scene.end(second, COMPLETE, [told(second, `{"status":"errored"}`)]);
      const parent = runs.find((run) => run.parent === null) as ClaimedRun;
      expect((await scene.commitHeld(parent)).events).toMatchObject([{ payload: END.payload }]);
    });

    test("S6-012 a parent that runs hears of it from its next commit, and one that parks meanwhile is due", async () => {
      const scene = source();
      const parent = await scene.start();
      const children = ["c", "d"].map((stepKey) => newChild(scene, { stepKey }));
      const changes = children.flatMap((created) => [waitFor(created), created]);
      await scene.commitHeld(parent, { changes });
      const { runs } = await scene.claim();
      expect(runs).toHaveLength(2);
      const [first, second] = runs as [ClaimedRun, ClaimedRun];
      await scene.end(first, COMPLETE, [told(first)]);
      const { events } = await scene.commitHeld(parent);
      expect(events).toHaveLength(1);
      await scene.end(second, COMPLETE, [told(second)]);
      const knownEventSequence = events[0]?.sequence ?? 0;
      await scene.commitHeld(parent, { outcome: FAR, knownEventSequence });
      expect((await scene.claimOne()).events).toHaveLength(2);
    });

    test("S6-013 children of one parent that end in one trip are both told", async () => {
      const scene = source();
      const parent = await scene.start();
      const children = ["c", "d", "e"].map((stepKey) => newChild(scene, { stepKey }));
      const changes = children.flatMap((created) => [waitFor(created), created]);
      await scene.end(parent, FAR, changes);
      const { runs } = await scene.claim();
      const ends = runs.map((child) =>
        commitOf(child, { outcome: COMPLETE, changes: [told(child)] }),
      );
      await scene.store.commit(ends);
      expect((await scene.claimOne()).events).toHaveLength(3);
    });

    test("S6-012 a parent that waits for nothing else comes due at no time", async () => {
      const scene = source();
      const parent = await scene.start();
      const at = { kind: "park", taskKind: "wake", at: NEVER_AT, inMs: null } as const;
      await scene.end(parent, at, []);
      expect(await scene.claim()).toMatchObject({ runs: [], nextDueAt: null, nextWakeAt: null });
    });

    test("S6-012 nobody is told where the parent has ended or was restarted", async () => {
      const scene = source();
      for (const command of ["terminate", "restart"] as const) {
        const { parent, child } = await family(scene);
        await scene.control(parent.run.instanceId, command);
        await scene.end(child, COMPLETE, [told(child)]);
        expect((await scene.history(parent.run)).events.items).toEqual([]);
        await scene.control(parent.run.instanceId, "terminate");
      }
    });

    test("S6-012 a child that is terminated from outside is told of as well, once", async () => {
      const scene = source();
      const { parent, child } = await family(scene);
      await scene.control(child.run.instanceId, "terminate", { ifRunNumber: 7 });
      expect((await scene.claim()).runs).toEqual([]);
      const once = { ifRunNumber: 1, controlKey: "k" };
      expect(await scene.control(child.run.instanceId, "terminate", once)).toMatchObject({
        woke: true,
      });
      await scene.control(child.run.instanceId, "terminate", { controlKey: "k" });
      const again = await scene.claimOne();
      expect(again.run).toEqual(parent.run);
      expect(again.events).toMatchObject([{ payload: `{"status":"terminated","error":null}` }]);
    });
  });
}
