/** Finds and deletes instances that ended long enough ago. */
import { mismatchOf } from "../../core/decide/demand.ts";
import { type InstanceRef, instanceKey } from "../../core/model/instance-key.ts";
import type { EpochMs } from "../../core/model/records.ts";
import {
  type DeletedExpired,
  type DeleteExpiredRequest,
  type EmptyExpiredRequest,
  type ExpiredInstance,
  type ExpiredPage,
  type Expiry,
  type ExpiryRule,
  RETAIN_CHUNK,
  type RetainWalk,
} from "../../ports/retain.ts";
import type { PagePosition } from "../../ports/pages.ts";
import { familyOf, forget, isLive, liveParentOf } from "./delete.ts";
import { type MemoryInstance, type MemoryState, runKey } from "./state.ts";

export function findExpired(
  state: MemoryState,
  walks: readonly RetainWalk[],
): { readonly now: EpochMs; readonly pages: readonly ExpiredPage[] } {
  const now = state.now();
  return { now, pages: walks.map((walk) => walkOn(state, walk, now - walk.keepMs)) };
}

function walkOn(
  state: MemoryState,
  { workflowName, status, after }: RetainWalk,
  before: EpochMs,
): ExpiredPage {
  const isBehind = ({ createdAt, rowId }: MemoryInstance): boolean =>
    after === null || createdAt > after.at || (createdAt === after.at && rowId > after.id);
  const looked = [...state.instances.values()]
    .filter((one) => one.workflowName === workflowName && one.status === status)
    .filter((one) => one.createdAt <= before && isBehind(one))
    .toSorted((a, b) => a.createdAt - b.createdAt || (a.rowId < b.rowId ? -1 : 1))
    .slice(0, RETAIN_CHUNK.looked);
  const rules = [{ workflowName, status, before }];
  const expired = looked.filter((one) => isExpired(one, rules) && !isHeld(state, one));
  const last = looked.length < RETAIN_CHUNK.looked ? undefined : looked.at(-1);
  return {
    expired: expired.map((one) => toExpired(state, one)),
    next: last === undefined ? null : toPosition(last),
  };
}

const toPosition = ({ createdAt, rowId }: MemoryInstance): PagePosition => ({
  at: createdAt,
  id: rowId,
});

function toExpired(state: MemoryState, instance: MemoryInstance): ExpiredInstance {
  const { workflowName, instanceId } = instance;
  const children = state.instances.childrenOf(instance);
  const events = runsOf(instance).map((key) => state.events.get(key)?.length ?? 0);
  const entries = state.progress.get(instanceKey(instance))?.entries.length ?? 0;
  return {
    workflowName,
    instanceId,
    rowCount: sumOf([stepsOf(state, instance), ...events, entries]),
    childCount: children.length,
    childRowCount: sumOf(children.map((child) => stepsOf(state, child))),
  };
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

const stepsOf = (state: MemoryState, instance: MemoryInstance): number =>
  sumOf(runsOf(instance).map((key) => state.steps.get(key)?.size ?? 0));

const runsOf = (instance: MemoryInstance): readonly string[] =>
  Array.from({ length: instance.runNumber }, (_, index) =>
    runKey({ ...instance, runNumber: index + 1 }),
  );

const isExpired = (
  { workflowName, status, completedAt }: MemoryInstance,
  rules: readonly ExpiryRule[],
): boolean =>
  rules.some(
    (rule) =>
      rule.workflowName === workflowName &&
      rule.status === status &&
      completedAt !== null &&
      completedAt < rule.before,
  );

/** The run that started it is its parent's current run. */
const isHeld = (state: MemoryState, { parent }: MemoryInstance): boolean =>
  parent !== null && state.instances.get(instanceKey(parent))?.runNumber === parent.runNumber;

/** Whether the rules of a request allow it. */
const mayGo = (instance: MemoryInstance, rules: Expiry): boolean =>
  rules === null ? !isLive(instance) : isExpired(instance, rules);

const isKept = (state: MemoryState, instance: MemoryInstance, rules: Expiry): boolean =>
  rules === null ? liveParentOf(state, instance) !== undefined : isHeld(state, instance);

const isMeant = (instance: MemoryInstance, demand: DeleteExpiredRequest["demand"]): boolean =>
  demand === undefined || mismatchOf(instance, demand) === null;

export function deleteExpired(
  state: MemoryState,
  { instances, rules, demand }: DeleteExpiredRequest,
): DeletedExpired {
  const roots = instances.map((ref) => find(state, ref)).filter((root) => root !== undefined);
  const families = roots.map((root) => familyOf(state, root));
  const members = families.flat();
  const isWeighed = rules !== null && members.length === roots.length;
  if (members.length > RETAIN_CHUNK.members || !(isWeighed || isLight(state, members)))
    return { count: 0, isTooLarge: true };
  const gone = new Set<MemoryInstance>();
  for (const [index, family] of families.entries()) {
    const root = roots[index];
    if (root === undefined || !isMeant(root, demand) || isKept(state, root, rules)) continue;
    if (family.every((one) => mayGo(one, rules))) family.forEach((one) => gone.add(one));
  }
  for (const member of gone) forget(state, member);
  return { count: gone.size, isTooLarge: false };
}

/** Whether the members together have few enough rows of each kind to be deleted in one call. */
function isLight(state: MemoryState, members: readonly MemoryInstance[]): boolean {
  const eventsOf = (one: MemoryInstance): number =>
    sumOf(runsOf(one).map((key) => state.events.get(key)?.length ?? 0));
  const entriesOf = (one: MemoryInstance): number =>
    state.progress.get(instanceKey(one))?.entries.length ?? 0;
  const kinds = [(one: MemoryInstance) => stepsOf(state, one), eventsOf, entriesOf];
  return kinds.every((count) => sumOf(members.map(count)) <= RETAIN_CHUNK.rows);
}

const find = (state: MemoryState, ref: InstanceRef): MemoryInstance | undefined =>
  state.instances.get(instanceKey(ref));

export function emptyExpired(
  state: MemoryState,
  { instance, rules, demand }: EmptyExpiredRequest,
): boolean {
  const found = find(state, instance);
  if (found === undefined || !isMeant(found, demand) || isKept(state, found, rules)) return false;
  if (!familyOf(state, found).every((one) => mayGo(one, rules))) return false;
  const key = instanceKey(found);
  forget(state, found);
  const { keyNumber, runNumber } = found;
  const updatedAt = state.now();
  const left = { runNumber: runNumber + 1, keyNumber: keyNumber ?? runNumber, updatedAt };
  state.instances.set(key, { ...found, ...left });
  return true;
}
