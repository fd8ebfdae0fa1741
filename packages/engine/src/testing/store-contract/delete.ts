/** Deletes on request: an ended instance is removed with everything that belongs to it and with its family; live instances are not. */
import { describe, expect, test } from "vitest";
import { toTopicEvent } from "../../core/topic-event.ts";
import type { LiveInstance } from "../../ports/delete.ts";
import { RETAIN_CHUNK } from "../../ports/retain.ts";
import type { ClaimedRun } from "../../ports/claim.ts";
import { newId, openSleep, step } from "./builders.ts";
import { COMPLETE, parkIn, type Scene, type SceneSource } from "./scene.ts";
import { bear, newChild } from "./family.ts";

type Removed =
  | { readonly kind: "deleted"; readonly count: number }
  | { readonly kind: "notEnded"; readonly live: LiveInstance };

/** Deletes as the verb does for a small family. */
async function remove({ store, workflowName }: Scene, instanceId: string): Promise<Removed> {
  const instances = [{ workflowName, instanceId }];
  const { count } = await store.deleteExpired({ instances, rules: null });
  const { live } = count > 0 ? { live: null } : await store.findLive(instances);
  return live === null ? { kind: "deleted", count } : { kind: "notEnded", live };
}

const find = ({ store, workflowName }: Scene, instanceId: string) =>
  store.loadInstance(workflowName, instanceId);

/** An ended instance with a step, an event, an entry of progress, and the same for an earlier run. */
async function makeFull(scene: Scene): Promise<ClaimedRun["run"]> {
  let run = await scene.start();
  const { instanceId } = run.run;
  const fill = async () => {
    await scene.send(instanceId, "go");
    const told = {
      kind: "progressMade",
      stepKey: "p",
      attempt: null,
      rowId: newId(),
      value: "1",
      retention: { maxEntries: 10, maxBytes: 1000 },
    } as const;
    await scene.end(run, COMPLETE, [step("a", { id: newId() }), told]);
  };
  await fill();
  await scene.control(instanceId, "restart");
  run = await scene.claimOne();
  await fill();
  return run.run;
}

/** A run that has ended with more steps than one call may delete. */
async function endWithMany(
  scene: Scene,
): Promise<{ readonly run: ClaimedRun; readonly most: number }> {
  const run = await scene.start();
  const most = RETAIN_CHUNK.rows;
  const rows = Array.from({ length: most + 1 }, (_, index) => step(`s${index}`, { id: newId() }));
  await scene.end(run, COMPLETE, rows);
  return { run, most };
}

export function describeDelete(source: SceneSource): void {
  describe("delete", () => {
    test("S8-005 one that has ended goes with its runs, steps, events and progress, and no other does", async () => {
      const scene = source();
      const { store, workflowName } = scene;
      const kept = await makeFull(scene);
      const before = await scene.history(kept);
      const gone = await makeFull(scene);
      expect(await remove(scene, gone.instanceId)).toEqual({ kind: "deleted", count: 1 });
      expect(await find(scene, gone.instanceId)).toBeNull();
      await scene.create({ instanceId: gone.instanceId });
      for (const runNumber of [1, 2]) {
        const { steps, events } = await scene.history({ ...gone, runNumber });
        expect([steps.items, events.items]).toEqual([[], []]);
      }
      const page = { workflowName, after: 0, limit: 10 };
      const told = await store.readProgress({ ...page, instanceId: gone.instanceId });
      expect(told).toMatchObject({ newest: 0, entries: [] });
      expect(await scene.history(kept)).toEqual(before);
      const others = await store.readProgress({ ...page, instanceId: kept.instanceId });
      expect(others?.entries).toHaveLength(2);
    });

    test("S8-005 what is not there is no error, however often it is deleted", async () => {
      const scene = source();
      expect(await remove(scene, "nobody")).toEqual({ kind: "deleted", count: 0 });
      const { instanceId } = await makeFull(scene);
      expect(await remove(scene, instanceId)).toEqual({ kind: "deleted", count: 1 });
      expect(await remove(scene, instanceId)).toEqual({ kind: "deleted", count: 0 });
    });

    test("S8-005 one that has not ended is left as it is, whatever it does", async () => {
      const scene = source();
      const run = await scene.start();
      const { instanceId } = run.run;
      const { workflowName } = scene;
      const expectKept = async (status: string): Promise<void> => {
        const live = { workflowName, instanceId, status };
        const record = await scene.load(instanceId);
        expect(await remove(scene, instanceId)).toEqual({ kind: "notEnded", live });
        expect(await scene.load(instanceId)).toEqual(record);
      };
      await expectKept("running");
      await scene.control(instanceId, "pause");
      await expectKept("waitingForPause");
      await scene.end(run, { kind: "pause" }, [step("a")]);
      await expectKept("paused");
      await scene.control(instanceId, "resume");
      await expectKept("queued");
      await scene.end(await scene.claimOne(), parkIn(60_000), [openSleep("nap", { inMs: 60_000 })]);
      await expectKept("waiting");
      expect((await scene.history(run.run)).steps.items).toHaveLength(2);
      await scene.control(instanceId, "terminate");
      expect(await remove(scene, instanceId)).toEqual({ kind: "deleted", count: 1 });
    });

    test("S8-005 a runner that was late finds nothing to write", async () => {
      const scene = source();
      const run = await scene.start();
      const { instanceId } = run.run;
      await scene.control(instanceId, "terminate");
      await remove(scene, instanceId);
      const late = await scene.commit(run, { changes: [step("late")], outcome: COMPLETE });
      expect(late).toEqual({ kind: "conflict" });
      expect(await find(scene, instanceId)).toBeNull();
      await scene.create({ instanceId });
      expect((await scene.history(run.run)).steps.items).toEqual([]);
      expect((await scene.send("nobody", "go")).kind).toBe("notFound");
    });

    test("S8-005 its children and theirs go with it", async () => {
      const scene = source();
      const parent = await scene.start();
      const first = await bear(scene, parent);
      const below = await bear(scene, first.child);
      const second = await bear(scene, parent);
      await scene.end(below.child, COMPLETE, [step("deep")]);
      await scene.end(first.child, COMPLETE);
      await scene.end(second.child, COMPLETE);
      await scene.end(parent, COMPLETE);
      const other = await makeFull(scene);
      const { instanceId } = parent.run;
      expect(await remove(scene, instanceId)).toEqual({ kind: "deleted", count: 4 });
      for (const id of [instanceId, first.instanceId, below.instanceId, second.instanceId])
        expect(await find(scene, id)).toBeNull();
      expect(await find(scene, other.instanceId)).not.toBeNull();
    });

    test("S8-005 none of a family goes as long as one of it is alive below it", async () => {
      const scene = source();
      const { workflowName } = scene;
      const parent = await scene.start();
      const middle = await bear(scene, parent);
      const below = await bear(scene, middle.child);
      await scene.end(middle.child, COMPLETE);
      await scene.end(parent, COMPLETE);
      const live = { workflowName, instanceId: below.instanceId, status: "running" };
      for (const id of [parent.run.instanceId, middle.instanceId])
        expect(await remove(scene, id)).toEqual({ kind: "notEnded", live });
      await scene.end(below.child, COMPLETE);
      expect(await remove(scene, middle.instanceId)).toEqual({ kind: "deleted", count: 2 });
      expect(await remove(scene, parent.run.instanceId)).toEqual({ kind: "deleted", count: 1 });
    });

    test("S8-005 a child stays as long as the run that started it goes on, and not for the runs after it", async () => {
      const scene = source();
      const { workflowName } = scene;
      const parent = await scene.start();
      const { instanceId, child } = await bear(scene, parent);
      await scene.end(child, COMPLETE);
      const live = { workflowName, instanceId: parent.run.instanceId, status: "running" };
      expect(await remove(scene, instanceId)).toEqual({ kind: "notEnded", live });
      await scene.control(parent.run.instanceId, "restart");
      expect(await remove(scene, instanceId)).toEqual({ kind: "deleted", count: 1 });
      expect((await scene.load(parent.run.instanceId)).status).toBe("queued");
    });

    test("S8-005 one that has more rows than may go at once stays whole, and goes in parts", async () => {
      const scene = source();
      const { store, workflowName } = scene;
      const { most, run } = await endWithMany(scene);
      const ref = { workflowName, instanceId: run.run.instanceId };
      const request = { instances: [ref], rules: null };
      expect(await store.deleteExpired(request)).toEqual({ count: 0, isTooLarge: true });
      expect(await scene.load(ref.instanceId)).toMatchObject({ runNumber: 1, status: "complete" });
      expect(await store.emptyExpired({ instance: ref, rules: null })).toBe(true);
      const { runNumber, status } = await scene.load(ref.instanceId);
      expect([runNumber, status]).toEqual([2, "complete"]);
      const { steps } = await scene.history({ ...run.run, runNumber: 2 });
      expect([steps.items, most]).toEqual([[], RETAIN_CHUNK.rows]);
      expect(await store.deleteExpired(request)).toEqual({ count: 1, isTooLarge: false });
      expect(await store.emptyExpired({ instance: ref, rules: null })).toBe(false);
    });

    test("S8-005 rows of those below count as its own, whoever asks", async () => {
      const scene = source();
      const { store, workflowName, clock } = scene;
      const parent = await scene.start();
      const middle = await bear(scene, parent);
      const below = await bear(scene, middle.child);
      const rows = Array.from({ length: RETAIN_CHUNK.rows + 1 }, (_, index) =>
        step(`s${index}`, { id: newId() }),
      );
      await scene.end(below.child, COMPLETE, rows);
      await scene.end(middle.child, COMPLETE);
      await scene.end(parent, COMPLETE);
      await clock.advance(1);
      const before = await clock.now();
      const rules = [{ workflowName, status: "complete", before } as const];
      const instances = [{ workflowName, instanceId: parent.run.instanceId }];
      for (const each of [rules, null])
        expect(await store.deleteExpired({ instances, rules: each })).toEqual({
          count: 0,
          isTooLarge: true,
        });
      for (const { instanceId } of [parent.run, middle, below])
        expect(await find(scene, instanceId)).not.toBeNull();
    });

    test("S8-005 children are listed page by page, of all runs, each once", async () => {
      const scene = source();
      const { store, workflowName } = scene;
      const parent = await scene.start();
      const ref = { workflowName, instanceId: parent.run.instanceId };
      const changes = Array.from({ length: RETAIN_CHUNK.members + 3 }, () => newChild(scene));
      await scene.commitHeld(parent, { changes });
      const first = await store.listChildren({ parent: ref, after: null });
      expect(first.children).toHaveLength(RETAIN_CHUNK.members);
      const second = await store.listChildren({ parent: ref, after: first.next });
      expect(second.next).toBeNull();
      const ids = [...first.children, ...second.children].map(({ instanceId }) => instanceId);
      expect(ids.toSorted()).toEqual(changes.map(({ instanceId }) => instanceId).toSorted());
      expect(await store.findLive([ref])).toMatchObject({ live: ref, isTooLarge: true });
      const [one] = first.children;
      if (one === undefined) throw new TypeError("no child");
      const live = { ...one, status: "queued" };
      expect(await store.findLive([one])).toEqual({ live, isTooLarge: false });
      await scene.control(one.instanceId, "terminate");
      expect(await store.findLive([one])).toMatchObject({ live: ref, isTooLarge: false });
      expect(await store.findLive([])).toEqual({ live: null, isTooLarge: false });
      // The run that has them is over; its instance continues with another.
      await scene.control(ref.instanceId, "restart");
      expect(await store.findLive([one])).toEqual({ live: null, isTooLarge: false });
      const none = { parent: { workflowName, instanceId: "nobody" }, after: null };
      expect(await store.listChildren(none)).toEqual({ children: [], next: null });
    });

    test("S8-005 a run that ended while it waited for a topic gets no message any more", async () => {
      const scene = source();
      const { store } = scene;
      const topic = `t-${newId()}`;
      const run = await scene.start();
      const waits = step("w", {
        type: "waitForTopic",
        status: "waiting",
        waitEventType: toTopicEvent(topic),
        result: null,
      });
      await scene.end(run, parkIn(60_000), [waits]);
      expect(await store.listWaiters({ topic, limit: 10 })).toHaveLength(1);
      await scene.control(run.run.instanceId, "terminate");
      await remove(scene, run.run.instanceId);
      expect(await store.listWaiters({ topic, limit: 10 })).toEqual([]);
    });

    test("S8-005 of deletes and restarts at the same time, each finds the instance whole or not at all", async () => {
      const scene = source();
      for (let round = 0; round < 5; round += 1) {
        const { instanceId } = await makeFull(scene);
        const [deleted, restarted] = await Promise.all([
          remove(scene, instanceId),
          scene.control(instanceId, "restart"),
          remove(scene, instanceId),
        ]);
        const after = await find(scene, instanceId);
        if (restarted.kind === "applied") {
          expect(deleted.kind).toBe("notEnded");
          expect(after).toMatchObject({ status: "queued", runNumber: 3 });
          expect((await scene.claimOne()).run).toMatchObject({ instanceId });
        } else {
          expect([restarted.kind, after]).toEqual(["notFound", null]);
        }
      }
    });
  });
}
