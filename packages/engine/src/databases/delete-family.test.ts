/** Deleting a family that is too large for one call: in chunks, whatever happens meanwhile. */
import { afterEach, describe, expect, it } from "vitest";
import { WorkflowError } from "../core/errors.ts";
import { DEFAULT_LIMITS } from "../core/default-limits.ts";
import type { Preconditions } from "../ports/command-options.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import { RETAIN_CHUNK } from "../ports/retain.ts";
import type { Store } from "../ports/store.ts";
import { createFaultStore, type Fault, type StoreCall } from "../testing/fault-store.ts";
import { newId, step } from "../testing/store-contract/builders.ts";
import { bear, newChild } from "../testing/store-contract/family.ts";
import { COMPLETE, createScene, type Scene } from "../testing/store-contract/scene.ts";
import { deleteInstance } from "../verbs/delete-instance.ts";
import { LOCAL_STORES, type TimedStore } from "./testing-stores.ts";

const opened: TimedStore[] = [];

afterEach(async () => {
  for (const { teardown } of opened.splice(0)) await teardown();
});

async function open(openStore: () => Promise<TimedStore>): Promise<Scene> {
  const timed = await openStore();
  opened.push(timed);
  const clock = {
    now: async () => timed.clock.now(),
    advance: async (ms: number) => timed.clock.advance(ms),
    set: () => Promise.reject(new TypeError("no test of these sets it")),
  };
  return createScene({ ...timed, clock, countTasks: async () => 0 });
}

const remove = ({ workflowName }: Scene, store: Store, id: string, options?: Preconditions) =>
  deleteInstance({ limits: DEFAULT_LIMITS, store }, { name: workflowName }, { id, options });

const find = ({ store, workflowName }: Scene, instanceId: string) =>
  store.loadInstance(workflowName, instanceId);

const manySteps = (count: number) =>
  Array.from({ length: count }, (_, index) => step(`s${index}`, { id: newId() }));

interface Family {
  readonly root: ClaimedRun;
  readonly ids: readonly string[];
}

/** A root with many steps, a child with many steps and a child of its own, and many other children. All have ended. */
async function makeFamily(scene: Scene, childCount: number): Promise<Family> {
  const root = await scene.start();
  const middle = await bear(scene, root);
  const leaf = await bear(scene, middle.child);
  await scene.end(leaf.child, COMPLETE, manySteps(RETAIN_CHUNK.rows + 1));
  await scene.end(middle.child, COMPLETE, manySteps(RETAIN_CHUNK.rows + 1));
  const changes = Array.from({ length: childCount }, () => newChild(scene));
  await scene.commitHeld(root, { changes });
  for (const { instanceId } of changes) await scene.control(instanceId, "terminate");
  await scene.end(root, COMPLETE, manySteps(RETAIN_CHUNK.rows * 2));
  const ids = [root.run, middle, leaf, ...changes].map(({ instanceId }) => instanceId);
  return { root, ids };
}

const leftOf = async (scene: Scene, ids: readonly string[]): Promise<number> => {
  const found = await Promise.all(ids.map((id) => find(scene, id)));
  return found.filter((one) => one !== null).length;
};

/** Fails the n-th call. */
const failAt =
  (n: number, fault: Fault) =>
  ({ call }: StoreCall): Fault =>
    call === n ? fault : "none";

describe.each(LOCAL_STORES)("a large family on %s", (_name, openStore) => {
  it("S8-005 goes whole, with what it has left, and every call takes a bounded part of it", async () => {
    const scene = await open(openStore);
    const { root, ids } = await makeFamily(scene, RETAIN_CHUNK.members + 50);
    const store = createFaultStore(scene.store);
    const { instanceId } = root.run;
    expect(await remove(scene, store, instanceId)).toEqual({ deletedCount: ids.length });
    expect(await leftOf(scene, ids)).toBe(0);
    expect(store.calls.length).toBeLessThan(120);
    await scene.create({ instanceId });
    for (const runNumber of [1, 2])
      expect((await scene.history({ ...root.run, runNumber })).steps.items).toEqual([]);
    expect(await remove(scene, store, ids[1] ?? "")).toEqual({ deletedCount: 0 });
  });

  it("S8-005 stays untouched as long as one of it is alive, however deep", async () => {
    const scene = await open(openStore);
    const { root, ids } = await makeFamily(scene, RETAIN_CHUNK.members + 50);
    const { instanceId } = root.run;
    const before = await scene.load(instanceId);
    await scene.control(ids[2] ?? "", "restart");
    const live = { liveInstanceId: ids[2], status: "queued" };
    const error = await remove(scene, scene.store, instanceId).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "INSTANCE_NOT_ENDED", details: live });
    expect(await scene.load(instanceId)).toEqual(before);
    expect(await leftOf(scene, ids)).toBe(ids.length);
  });
});

describe.each(LOCAL_STORES)("a large family of a run that is named, on %s", (_name, openStore) => {
  it("goes whole if its root is at that run, and stays untouched if it is at another", async () => {
    const scene = await open(openStore);
    const { root, ids } = await makeFamily(scene, 3);
    const { instanceId } = root.run;
    const before = await scene.load(instanceId);
    for (const [options, code] of [
      [{ ifRunNumber: 2 }, "RUN_NUMBER_MISMATCH"],
      [{ ifStatus: ["errored"] }, "STATUS_MISMATCH"],
    ] as const)
      await expect(remove(scene, scene.store, instanceId, options)).rejects.toMatchObject({ code });
    expect(await scene.load(instanceId)).toEqual(before);
    expect(await leftOf(scene, ids)).toBe(ids.length);
    const met = { ifRunNumber: 1, ifStatus: ["complete"] } as const;
    const deleted = await remove(scene, scene.store, instanceId, met);
    expect(deleted).toEqual({ deletedCount: ids.length });
  });
});

describe("a delete in chunks", () => {
  const [memory] = LOCAL_STORES;
  const openMemory = (): Promise<Scene> => open((memory ?? ["", () => Promise.reject()])[1]);

  it.each(["before", "after"] as const)(
    "S8-005 goes on after a crash at any call (%s), and nobody takes what is left for a history",
    async (fault) => {
      for (let at = 1, isOver = false; !isOver; at += 1) {
        const scene = await openMemory();
        const { root, ids } = await makeFamily(scene, 3);
        const { instanceId } = root.run;
        const store = createFaultStore(scene.store, failAt(at, fault));
        const failed = await remove(scene, store, instanceId).then(
          () => null,
          (error: unknown) => error,
        );
        isOver = store.calls.length < at;
        const left = await find(scene, instanceId);
        if (left !== null) {
          expect(WorkflowError.is(failed) && failed.code).toBe("STORE_UNAVAILABLE");
          expect(left.status).toBe("complete");
          const { steps } = await scene.history({ ...root.run, runNumber: left.runNumber });
          // Unchanged, or without any rows.
          expect(steps.items.length).toBe(left.runNumber === 1 ? 100 : 0);
          expect((await scene.store.create([scene.newInstance({ instanceId })]))[0]).toMatchObject({
            kind: "exists",
          });
        }
        await remove(scene, scene.store, instanceId);
        expect(await leftOf(scene, ids)).toBe(0);
        expect(at).toBeLessThan(50);
      }
    },
  );

  it("S8-005 stops at one that is restarted meanwhile, and goes on once that has ended", async () => {
    const scene = await openMemory();
    const { root, ids } = await makeFamily(scene, 3);
    const { instanceId } = root.run;
    let emptied = 0;
    const store: Store = {
      ...scene.store,
      async emptyExpired(request) {
        const isEmptied = await scene.store.emptyExpired(request);
        if ((emptied += 1) === 1) await scene.control(instanceId, "restart");
        return isEmptied;
      },
    };
    const details = { liveInstanceId: instanceId, status: "queued" };
    const error = await remove(scene, store, instanceId).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "INSTANCE_NOT_ENDED", details });
    const again = await scene.claimOne();
    expect([again.run.runNumber, again.settled]).toEqual([3, []]);
    await scene.end(again, COMPLETE);
    await remove(scene, scene.store, instanceId);
    expect(await leftOf(scene, ids)).toBe(0);
  });

  it("S8-005 shares a family with another delete of it", async () => {
    const scene = await openMemory();
    const { root, ids } = await makeFamily(scene, RETAIN_CHUNK.members);
    const counts = await Promise.all(
      [1, 2, 3].map(() => remove(scene, scene.store, root.run.instanceId)),
    );
    expect(counts.reduce((sum, { deletedCount }) => sum + deletedCount, 0)).toBe(ids.length);
    expect(await leftOf(scene, ids)).toBe(0);
  });
});
