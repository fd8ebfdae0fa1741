/** The overview, from memory: it looks at all instances and tasks. */
import { bucketsUpTo, latenessOf, sampleOf, spreadOf } from "../../core/activity.ts";
import { toCallbackEvent } from "../../core/callback.ts";
import { runnerOf } from "../../core/lease-owner.ts";
import {
  type Activity,
  type ActivityBucket,
  type ActivityRequest,
  type CallbackPosition,
  type CallbacksRequest,
  type DueTasks,
  type HeldLeases,
  type LeasesRequest,
  type OpenCallback,
  type OpenCallbacks,
  WAITS_SCANNED,
} from "../../ports/overview.ts";
import {
  type MemoryInstance,
  type MemoryState,
  type MemoryStep,
  runKey,
  toRunRef,
} from "./state.ts";

export function measureActivity(state: MemoryState, request: ActivityRequest): Activity {
  const { workflowNames, bucketMs } = request;
  const now = state.now();
  const { instances, lookedFrom } = newestOfAll(state, request);
  const starts = bucketsUpTo(now, request);
  const seen = {
    instances,
    waits: waitsOf(state, instances, { ...request, from: starts[0] ?? 0 }),
  };
  const buckets = starts.map((at) => toBucket(seen, at, bucketMs));
  const due = workflowNames.flatMap((name) => dueOf(state, name, request.counted));
  return { now, buckets, due, lookedFrom };
}

function newestOfAll(
  state: MemoryState,
  { workflowNames, walked, looked }: ActivityRequest,
): { readonly instances: readonly MemoryInstance[]; readonly lookedFrom: number | null } {
  const ofEach = workflowNames.map((name) => newestOf(state, name).slice(0, walked));
  const all = ofEach.flat().toSorted((a, b) => b.createdAt - a.createdAt);
  const instances = all.slice(0, looked);
  const isCut = all.length >= looked;
  const cuts = [...ofEach.filter(({ length }) => length >= walked), ...(isCut ? [instances] : [])];
  const firsts = cuts.map((cut) => cut.at(-1)?.createdAt ?? 0);
  return { instances, lookedFrom: cuts.length === 0 ? null : Math.max(...firsts) };
}

const newestOf = (state: MemoryState, name: string): readonly MemoryInstance[] =>
  [...state.instances.values()]
    .filter(({ workflowName }) => workflowName === name)
    .toSorted((a, b) => b.createdAt - a.createdAt || (a.rowId < b.rowId ? 1 : -1));

/** The first steps by key, for a sample of the instances that have changed since the first bucket. */
function waitsOf(
  state: MemoryState,
  instances: readonly MemoryInstance[],
  { sampled, from }: { readonly sampled: number; readonly from: number },
): readonly MemoryStep[] {
  const changed = instances
    .filter(({ updatedAt }) => updatedAt >= from)
    .toSorted((a, b) => b.createdAt - a.createdAt);
  return sampleOf(changed, sampled).flatMap((one) =>
    [...(state.steps.get(runKey(one))?.values() ?? [])]
      .toSorted((a, b) => (a.stepKey < b.stepKey ? -1 : 1))
      .slice(0, WAITS_SCANNED.steps)
      .filter((step) => latenessOf(step) !== null),
  );
}

interface Seen {
  readonly instances: readonly MemoryInstance[];
  readonly waits: readonly MemoryStep[];
}

function toBucket({ instances, waits }: Seen, at: number, bucketMs: number): ActivityBucket {
  const isIn = (instant: number | null): boolean =>
    instant !== null && instant >= at && instant < at + bucketMs;
  const ended = (status: string): number =>
    instances.filter((one) => one.status === status && isIn(one.completedAt)).length;
  const started = instances
    .filter(({ runNumber, startedAt, updatedAt }) => {
      return runNumber === 1 && startedAt !== null && startedAt <= updatedAt && isIn(startedAt);
    })
    .map(({ startedAt, createdAt }) => (startedAt ?? 0) - createdAt);
  const lateness = waits
    .filter(({ updatedAt }) => isIn(updatedAt))
    .flatMap((step) => latenessOf(step) ?? []);
  return {
    at,
    created: instances.filter(({ createdAt }) => isIn(createdAt)).length,
    complete: ended("complete"),
    errored: ended("errored"),
    terminated: ended("terminated"),
    started: started.length,
    waitMs: spreadOf(started),
    waitsEnded: lateness.length,
    latenessMs: spreadOf(lateness),
  };
}

function dueOf(state: MemoryState, name: string, counted: number): readonly DueTasks[] {
  const now = state.now();
  const due = [...state.tasks.values()]
    .filter(({ run, status, runAt }) => {
      return run.workflowName === name && status === "pending" && runAt <= now;
    })
    .map(({ runAt }) => runAt)
    .toSorted((a, b) => a - b);
  const [oldestAt] = due;
  if (oldestAt === undefined) return [];
  const count = Math.min(counted, due.length);
  return [{ workflowName: name, count, isCapped: count === counted, oldestAt }];
}

export function listLeases(
  state: MemoryState,
  { workflowNames, limit }: LeasesRequest,
): HeldLeases {
  const ofEach = workflowNames.map((name) =>
    [...state.tasks.values()]
      .filter(({ run, status }) => run.workflowName === name && status === "processing")
      .map(
        ({ run: { workflowName, instanceId, runNumber }, lockOwner, lockedUntil, attempts }) => ({
          workflowName,
          instanceId,
          runNumber,
          runner: runnerOf(lockOwner),
          until: lockedUntil ?? 0,
          attempts,
        }),
      )
      .toSorted((a, b) => a.until - b.until)
      .slice(0, limit),
  );
  return {
    now: state.now(),
    leases: ofEach.flat().toSorted((a, b) => a.until - b.until),
    isCapped: ofEach.some(({ length }) => length === limit),
  };
}

export function listCallbacks(state: MemoryState, request: CallbacksRequest): OpenCallbacks {
  const { workflowNames, statuses, pageSize, after } = request;
  const found = [...state.instances.values()]
    .filter(({ workflowName, status }) => {
      return workflowNames.includes(workflowName) && statuses.includes(status);
    })
    .flatMap((instance) => openCallbacksOf(state, instance))
    .filter(({ position }) => after === null || isBehind(position, after))
    .toSorted((a, b) => (isBehind(a.position, b.position) ? 1 : -1));
  const shown = found.slice(0, pageSize);
  const next = found.length > shown.length ? (shown.at(-1)?.position ?? null) : null;
  return { items: shown.map(({ callback }) => callback), next, isIncomplete: false };
}

interface Found {
  readonly position: CallbackPosition;
  readonly callback: OpenCallback;
}

function openCallbacksOf(state: MemoryState, instance: MemoryInstance): readonly Found[] {
  const { rowId: id, createdAt: at, status } = instance;
  const used = new Set((state.events.get(runKey(instance)) ?? []).map(({ eventId }) => eventId));
  const isOpen = (step: MemoryStep): boolean =>
    step.status === "waiting" &&
    step.waitEventType === toCallbackEvent(step.stepKey) &&
    !used.has(step.waitEventType);
  return [...(state.steps.get(runKey(instance))?.values() ?? [])]
    .filter(isOpen)
    .map(({ id: stepId, stepKey, name, createdAt, wakeAt }) => ({
      position: { at, id, stepId },
      callback: { ...toRunRef(instance), status, stepKey, name, createdAt, wakeAt },
    }));
}

function isBehind(position: CallbackPosition, after: CallbackPosition): boolean {
  if (position.at !== after.at) return position.at > after.at;
  if (position.id !== after.id) return position.id > after.id;
  return after.stepId !== "" && position.stepId > after.stepId;
}
