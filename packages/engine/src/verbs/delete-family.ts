/** Deletes a family that is too large for one call, in chunks: like retention, but at once and in order. */
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { PagePosition } from "../ports/pages.ts";
import { mismatchOf } from "../core/decide/demand.ts";
import { type DeleteExpiredRequest, RETAIN_CHUNK } from "../ports/retain.ts";
import type { Store } from "../ports/store.ts";
import { notEnded, toRefusal } from "./refusals.ts";

/** After a group of instances was deleted together, the next group is this many times as large. */
const GROWTH = 1.25;

export type DeleteStore = Pick<
  Store,
  "deleteExpired" | "emptyExpired" | "findLive" | "listChildren" | "loadInstance"
>;

/** What is demanded of the instance to delete, but not of its family. */
export type Demanding = Pick<DeleteExpiredRequest, "demand">;

interface Pass {
  readonly store: DeleteStore;
  /** The instance to delete. */
  readonly root: InstanceRef;
  /** Acts on instances with all their descendants. @returns false: they are too large for that */
  readonly act: (instances: readonly InstanceRef[]) => Promise<boolean>;
  /** Acts on an instance that is too large, before each walk through its children. */
  readonly enter: (instance: InstanceRef) => Promise<void>;
  /** Whether an instance is tried again as a whole after its children were walked through. */
  readonly isRepeated: boolean;
  /** How many instances to try together: about as many as worked last time. */
  size: number;
}

/**
 * Looks at the whole family first, and writes nothing if a member is live. Then it gives the root an empty run, so that nobody takes
 * the remaining rows for a history, deletes the descendants, and deletes the root with the last of its rows. After a crash, the
 * same call continues.
 *
 * @returns how many instances were deleted
 * @throws {WorkflowError} INSTANCE_NOT_ENDED — a member is live, or was restarted meanwhile; what was deleted stays deleted.
 *   RUN_NUMBER_MISMATCH, STATUS_MISMATCH — nothing was deleted
 */
export async function deleteFamily(
  store: DeleteStore,
  root: InstanceRef,
  demand: Demanding,
): Promise<number> {
  await assertMeant(store, root, demand);
  await actOn(createCheck(store, root), [root]);
  const counted = { count: 0, demand };
  await actOn(createDelete(store, root, counted), [root]);
  return counted.count;
}

/** Refuses an instance that does not meet what is demanded. One that does not exist meets everything. */
export async function assertMeant(
  store: DeleteStore,
  { workflowName, instanceId }: InstanceRef,
  { demand }: Demanding,
): Promise<void> {
  if (demand === undefined) return;
  const found = await store.loadInstance(workflowName, instanceId);
  const kind = found && mismatchOf(found, demand);
  if (found !== null && kind !== null)
    throw toRefusal({ kind, instance: found }, { workflowName, instanceId });
}

const refuse = async (
  { store, root }: Pick<Pass, "store" | "root">,
  refs: readonly InstanceRef[],
) => {
  const found = await store.findLive(refs);
  if (found.live !== null) throw notEnded(root, found.live);
  return found;
};

const createCheck = (store: DeleteStore, root: InstanceRef): Pass => ({
  store,
  root,
  act: async (instances) => !(await refuse({ store, root }, instances)).isTooLarge,
  enter: async () => {},
  isRepeated: false,
  size: RETAIN_CHUNK.members,
});

/** @param counted.demand until the root is given an empty run: from then on, it is this delete's */
function createDelete(
  store: DeleteStore,
  root: InstanceRef,
  counted: { count: number; demand: Demanding },
): Pass {
  const demandOf = (instance: InstanceRef | undefined): Demanding =>
    instance === root ? counted.demand : {};
  return {
    store,
    root,
    async act(instances) {
      const demand = demandOf(instances[0]);
      const request = { instances, rules: null, ...demand };
      const { count, isTooLarge } = await store.deleteExpired(request);
      counted.count += count;
      // Somebody may have restarted one of them, or deleted it as well.
      if (!isTooLarge && count < instances.length) {
        await assertMeant(store, root, demand);
        await refuse({ store, root }, instances);
      }
      return !isTooLarge;
    },
    async enter(instance) {
      const demand = demandOf(instance);
      const isEmptied = await store.emptyExpired({ instance, rules: null, ...demand });
      if (isEmptied && instance === root) counted.demand = {};
      if (isEmptied) return;
      await assertMeant(store, root, demand);
      await refuse({ store, root }, [instance]);
    },
    isRepeated: true,
    size: RETAIN_CHUNK.members,
  };
}

/** If instances are too large together, it tries halves. A single instance that is too large is deleted after its descendants. */
async function actOn(pass: Pass, instances: readonly InstanceRef[]): Promise<void> {
  for (let at = 0; at < instances.length;) {
    const some = instances.slice(at, at + pass.size);
    const [first] = some;
    const isDone = await pass.act(some);
    if (isDone) pass.size = Math.min(RETAIN_CHUNK.members, Math.ceil(pass.size * GROWTH));
    else pass.size = Math.ceil(some.length / 2);
    if (!isDone && some.length === 1 && first !== undefined) await goThrough(pass, first);
    if (isDone || some.length === 1) at += some.length;
  }
}

async function goThrough(pass: Pass, instance: InstanceRef): Promise<void> {
  do {
    await pass.enter(instance);
    let after: PagePosition | null = null;
    do {
      const page = await pass.store.listChildren({ parent: instance, after });
      await actOn(pass, page.children);
      after = page.next;
    } while (after !== null);
  } while (pass.isRepeated && !(await pass.act([instance])));
}
