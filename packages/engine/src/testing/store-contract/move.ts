/** `moving`: a family is read completely, staged records are invisible, and they become instances all at once or not at all. */
import { describe, expect, test } from "vitest";
import type { MovedPart, MovedRecord } from "../../core/move/records.ts";
import type { InstanceRef } from "../../core/model/instance-key.ts";
import type {
  FinishImportRequest,
  MovedCounts,
  MovingStore,
  PartPlace,
  PartsPage,
  StagedRecord,
} from "../../ports/move.ts";
import { newId, openWait, step } from "./builders.ts";
import { COMPLETE, type Scene, type SceneSource } from "./scene.ts";
import { newChild } from "./family.ts";

const COUNTS: MovedCounts = { instance: 1, step: 2, event: 2, progress: 1 };

const CREATOR = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
const SENDER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

/** A paused instance that waits, with a settled step, two untaken events, and an entry of progress. */
async function makePaused(scene: Scene): Promise<InstanceRef> {
  const run = await scene.start({ traceContext: CREATOR });
  const { instanceId } = run.run;
  const told = {
    kind: "progressMade",
    stepKey: "a",
    attempt: null,
    rowId: newId(),
    value: `"half"`,
    retention: { maxEntries: 10, maxBytes: 1000 },
  } as const;
  await scene.control(instanceId, "pause");
  await scene.commitHeld(run, {
    changes: [step("a"), openWait("w", "go", { inMs: 60_000 }), told],
    outcome: { kind: "park", taskKind: "wake", at: null, inMs: 60_000 },
  });
  await scene.send(instanceId, "go", "1", { traceContext: SENDER });
  await scene.send(instanceId, "go", "2");
  return { workflowName: scene.workflowName, instanceId };
}

async function readParts(moving: MovingStore, ref: InstanceRef): Promise<readonly MovedPart[]> {
  const parts: MovedPart[] = [];
  for (const kind of ["step", "event", "progress"] as const)
    for (let after: PartPlace | null = { member: 0, place: 0 }; after !== null;) {
      const page: PartsPage = await moving.readParts({ members: [ref], kind, after });
      parts.push(...page.records.map(({ record }) => record));
      after = page.next;
    }
  return parts;
}

/** Everything of an instance as it is staged, under another name and with new row ids. */
async function toStaged(
  moving: MovingStore,
  ref: InstanceRef,
  instanceId: string,
): Promise<readonly StagedRecord[]> {
  const [instance] = (await moving.loadMembers([ref])).instances;
  if (instance === undefined) throw new TypeError("there is no such instance");
  const records: MovedRecord[] = [{ ...instance, instanceId }, ...(await readParts(moving, ref))];
  return records.map((record) => {
    const rowId = newId();
    const renamed = "id" in record ? { ...record, id: rowId } : record;
    return { workflowName: ref.workflowName, instanceId, record: renamed, rowId, bytesBefore: 0 };
  });
}

const finishOf = (staged: readonly StagedRecord[], importId: string): FinishImportRequest => {
  const [root] = staged;
  if (root === undefined) throw new TypeError("nothing is staged");
  const { workflowName, instanceId, rowId: rootRowId } = root;
  return {
    importId,
    workflowNames: [workflowName],
    root: { workflowName, instanceId },
    rootRowId,
    counts: COUNTS,
    topicWaits: [],
    eventMarks: [],
  };
};

/** Registers the cases. */
export function describeMove(source: SceneSource): void {
  describe("move", () => {
    test("S8-006 all of an instance is read, events in their order, and its mark changes with what is written to it", async () => {
      const scene = source();
      const moving = await scene.store.moving();
      const ref = await makePaused(scene);
      const { members, mark, liveParent } = await moving.loadFamily(ref);
      expect({ members, liveParent }).toEqual({
        members: [{ ...ref, status: "paused", parent: null }],
        liveParent: null,
      });
      expect(mark).toMatchObject({ members: 1, events: 2 });
      const parts = await readParts(moving, ref);
      expect(parts.map(({ kind }) => kind)).toEqual(["step", "step", "event", "event", "progress"]);
      expect(parts.flatMap((part) => (part.kind === "event" ? [part.payload] : []))).toEqual([
        "1",
        "2",
      ]);
      await scene.control(ref.instanceId, "resume");
      expect((await moving.loadFamily(ref)).mark.version).not.toBe(mark.version);
    });

    test("S8-006 a child is of the family, and its parent that has not ended is told", async () => {
      const scene = source();
      const moving = await scene.store.moving();
      const parent = await scene.start();
      const child = newChild(scene);
      await scene.commitHeld(parent, { changes: [step("c"), child] });
      const { workflowName } = scene;
      const family = await moving.loadFamily(parent.run);
      expect(family.members.map(({ instanceId }) => instanceId).toSorted()).toEqual(
        [parent.run.instanceId, child.instanceId].toSorted(),
      );
      expect(await moving.loadFamily({ workflowName, instanceId: child.instanceId })).toMatchObject(
        { liveParent: { instanceId: parent.run.instanceId, status: "running" } },
      );
    });

    test("S8-006 what is staged is seen by nobody, however often it is staged, and comes at once", async () => {
      const scene = source();
      const moving = await scene.store.moving();
      const from = await makePaused(scene);
      const instanceId = `i-${newId()}`;
      const staged = await toStaged(moving, from, instanceId);
      const finish = finishOf(staged, newId());
      await moving.stage({ ...finish, records: staged });
      await moving.stage({ ...finish, records: staged });
      expect(await scene.store.loadInstance(from.workflowName, instanceId)).toBeNull();
      expect((await scene.claim()).runs).toEqual([]);
      expect(await moving.finishImport(finish)).toEqual({ kind: "imported" });
      const there = await scene.load(instanceId);
      expect(there).toEqual({ ...(await scene.load(from.instanceId)), instanceId });
      const history = await scene.history({ ...from, instanceId, runNumber: 1 });
      expect([history.steps.items.length, history.events.items.length]).toEqual([2, 2]);
      await scene.control(instanceId, "resume");
      expect((await scene.claimOne()).events.map(({ payload }) => payload)).toEqual(["1", "2"]);
    });

    test("S8-006 S8-014 what created it, and what sent its events, goes with it", async () => {
      const scene = source();
      const moving = await scene.store.moving();
      const from = await makePaused(scene);
      const instanceId = `i-${newId()}`;
      const staged = await toStaged(moving, from, instanceId);
      const finish = finishOf(staged, newId());
      await moving.stage({ ...finish, records: staged });
      await moving.finishImport(finish);
      await scene.control(instanceId, "resume");
      const { traceContext, events } = await scene.claimOne();
      expect(traceContext).toBe(CREATOR);
      const [traced, untraced] = events;
      expect(traced?.traceContext).toBe(SENDER);
      expect(untraced).not.toHaveProperty("traceContext");
    });

    test("S8-006 nothing that is staged is of a family that is here: that one goes as if nothing were", async () => {
      const scene = source();
      const moving = await scene.store.moving();
      const from = await makePaused(scene);
      const ended = await scene.start();
      await scene.end(ended, COMPLETE);
      const { instanceId } = ended.run;
      const [root, ...parts] = await toStaged(moving, from, instanceId);
      if (root?.record.kind !== "instance") throw new TypeError("nothing is staged");
      const id = `c-${newId()}`;
      const parent = { ...from, instanceId, runNumber: 1, stepKey: "c", onParentEnd: "abandon" };
      const child = { ...root.record, instanceId: id, parent } as const;
      const rows = { workflowName: from.workflowName, rowId: newId(), bytesBefore: 0 };
      const staged = [root, ...parts, { ...rows, instanceId: id, record: child as MovedRecord }];
      const finish = { ...finishOf(staged, newId()), counts: { ...COUNTS, instance: 2 } };
      await moving.stage({ ...finish, records: staged });
      const ref = { workflowName: from.workflowName, instanceId };
      expect((await moving.loadFamily(ref)).members).toHaveLength(1);
      const { count } = await scene.store.deleteExpired({ instances: [ref], rules: null });
      expect(count).toBe(1);
      expect(await moving.finishImport(finish)).toEqual({ kind: "imported" });
      const { members } = await moving.loadFamily(ref);
      expect(members.map((member) => member.instanceId).toSorted()).toEqual(
        [instanceId, id].toSorted(),
      );
    });

    test("S8-006 what came by one import is never closed by the mark of what came by another", async () => {
      const scene = source();
      const moving = await scene.store.moving();
      const from = await makePaused(scene);
      const refs: InstanceRef[] = [];
      for (const instanceId of [`i-${newId()}`, `i-${newId()}`]) {
        const staged = await toStaged(moving, from, instanceId);
        const finish = finishOf(staged, newId());
        await moving.stage({ ...finish, records: staged });
        expect(await moving.finishImport(finish)).toEqual({ kind: "imported" });
        refs.push({ ...from, instanceId });
      }
      const [second, third] = refs as [InstanceRef, InstanceRef];
      const { mark } = await moving.loadFamily(second);
      expect(await moving.closeMoved(third, mark)).toEqual({ kind: "changed" });
      expect(await moving.closeMoved(second, mark)).toEqual({ kind: "closed", count: 1 });
    });

    test("S8-006 what is not whole does not come, nor does an id that is taken; what is discarded is gone", async () => {
      const scene = source();
      const moving = await scene.store.moving();
      const from = await makePaused(scene);
      const instanceId = `i-${newId()}`;
      const staged = await toStaged(moving, from, instanceId);
      const finish = finishOf(staged, newId());
      await moving.stage({ ...finish, records: staged.slice(0, -1) });
      expect(await moving.finishImport(finish)).toEqual({ kind: "incomplete" });
      await scene.create({ instanceId });
      await moving.stage({ ...finish, records: staged.slice(-1) });
      expect(await moving.finishImport(finish)).toEqual({
        kind: "exists",
        instance: { workflowName: from.workflowName, instanceId },
      });
      const history = await scene.history({ ...from, instanceId, runNumber: 1 });
      expect(history.steps.items).toEqual([]);
      await moving.discardImport(finish);
      expect(await moving.finishImport({ ...finish, root: from })).toEqual({ kind: "incomplete" });
    });

    test("S8-006 a family is ended once, as it was when its mark was taken", async () => {
      const scene = source();
      const moving = await scene.store.moving();
      const ref = await makePaused(scene);
      const { mark } = await moving.loadFamily(ref);
      await scene.send(ref.instanceId, "go", "3");
      expect(await moving.closeMoved(ref, mark)).toEqual({ kind: "changed" });
      expect((await scene.load(ref.instanceId)).status).toBe("paused");
      const { mark: now } = await moving.loadFamily(ref);
      expect(await moving.closeMoved(ref, now)).toEqual({ kind: "closed", count: 1 });
      expect(await scene.load(ref.instanceId)).toMatchObject({
        status: "terminated",
        error: { name: "InstanceMoved" },
      });
      expect(await moving.closeMoved(ref, now)).toEqual({ kind: "closed", count: 0 });
    });
  });
}
