/** @module Overviews over all workflows: activity, leases and open callbacks. Loaded with the first call. */
import { fromCursor, toCursor } from "../core/cursor.ts";
import { unlessNever } from "../core/decide/park.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import { NON_TERMINAL_STATUSES } from "../core/model/status.ts";
import {
  ACTIVITY_SCANNED,
  CALLBACKS_SCANNED,
  type CallbackPosition,
  DUE_COUNTED,
  type HeldLease,
  type OpenCallback,
  WAITS_SCANNED,
} from "../ports/overview.ts";
import type {
  ActivityInput,
  ActivityOutput,
  CallbackView,
  LeaseView,
  ListCallbacksInput,
  ListCallbacksOutput,
  ListLeasesInput,
  ListLeasesOutput,
  RunnerView,
} from "../ports/overview-service.ts";
import type { HostContext } from "./context.ts";
import { parsePageSize, parseWholeNumber } from "./fields.ts";
import { parseWorkflows } from "./find-instances.ts";
import { toPosition } from "./history-page.ts";

const ACTIVITY_OPTIONS: Readonly<Record<keyof ActivityInput, 1>> = {
  workflows: 1,
  bucketMs: 1,
  buckets: 1,
};

const MOST_BUCKET_MS = 86_400_000;
const MOST_BUCKETS = 120;

/** @throws as `EngineService.measureActivity` */
export async function measureActivity(
  context: HostContext,
  input: ActivityInput = {},
): Promise<ActivityOutput> {
  assertKnownOptions("measureActivity", input, ACTIVITY_OPTIONS);
  const { bucketMs = 120_000, buckets = 30 } = input;
  parseWholeNumber("bucketMs", bucketMs, { from: 1000, to: MOST_BUCKET_MS });
  parseWholeNumber("buckets", buckets, { from: 1, to: MOST_BUCKETS });
  const workflowNames = parseWorkflows(context, input);
  const { lookedFrom, ...activity } = await context.store.measureActivity({
    workflowNames,
    bucketMs,
    bucketCount: buckets,
    walked: shareOf(ACTIVITY_SCANNED.walked, workflowNames),
    looked: ACTIVITY_SCANNED.all,
    sampled: WAITS_SCANNED.instances,
    counted: shareOf(DUE_COUNTED, workflowNames),
  });
  return { ...activity, bucketMs, ...(lookedFrom === null ? {} : { lookedFrom }) };
}

/** The share of a bound that each workflow gets. */
const shareOf = (most: number, workflowNames: readonly string[]): number =>
  Math.max(1, Math.floor(most / Math.max(1, workflowNames.length)));

const LEASES_OPTIONS: Readonly<Record<keyof ListLeasesInput, 1>> = { workflows: 1, limit: 1 };

const LEASES = 100;
const MOST_LEASES = 1000;

/** @throws as `EngineService.listLeases` */
export async function listLeases(
  context: HostContext,
  input: ListLeasesInput = {},
): Promise<ListLeasesOutput> {
  assertKnownOptions("listLeases", input, LEASES_OPTIONS);
  const { limit = LEASES } = input;
  parseWholeNumber("limit", limit, { from: 1, to: MOST_LEASES });
  const workflowNames = parseWorkflows(context, input);
  const { now, leases, isCapped } = await context.store.listLeases({
    workflowNames,
    limit: shareOf(MOST_LEASES, workflowNames),
  });
  return {
    now,
    runners: toRunners(leases, now),
    leases: leases.slice(0, limit).map((lease) => toLeaseView(lease, now)),
    isCapped: isCapped || leases.length > limit,
  };
}

const toLeaseView = (lease: HeldLease, now: number): LeaseView => ({
  workflowName: lease.workflowName,
  id: lease.instanceId,
  runNumber: lease.runNumber,
  runner: lease.runner,
  until: lease.until,
  isOverdue: lease.until <= now,
  lostCount: Math.max(0, lease.attempts - 1),
});

function toRunners(leases: readonly HeldLease[], now: number): readonly RunnerView[] {
  const byRunner = new Map<string | null, HeldLease[]>();
  for (const lease of leases) {
    const held = byRunner.get(lease.runner) ?? [];
    byRunner.set(lease.runner, held);
    held.push(lease);
  }
  const runners = [...byRunner].map(([runner, held]) => ({
    runner,
    leaseCount: held.length,
    overdueCount: held.filter(({ until }) => until <= now).length,
    firstUntil: held[0]?.until ?? now,
    lastUntil: held.at(-1)?.until ?? now,
  }));
  return runners.toSorted((a, b) => b.leaseCount - a.leaseCount || a.firstUntil - b.firstUntil);
}

const CALLBACKS_OPTIONS: Readonly<Record<keyof ListCallbacksInput, 1>> = {
  workflows: 1,
  pageSize: 1,
  cursor: 1,
};

/** The kind of cursor: a position among all callbacks, whatever the workflows are. */
const KIND = "callbacks of workflows";

/** At least ten of each workflow and status are looked at, as far as these go. */
const MOST_CALLBACKS_SCANNED = 10_000;

/** @throws as `EngineService.listCallbacks` */
export async function listCallbacks(
  context: HostContext,
  input: ListCallbacksInput = {},
): Promise<ListCallbacksOutput> {
  assertKnownOptions("listCallbacks", input, CALLBACKS_OPTIONS);
  const { pageSize = 25, cursor } = input;
  const workflowNames = parseWorkflows(context, input);
  const after = cursor === undefined ? null : parseCursor(cursor);
  parsePageSize(pageSize);
  if (workflowNames.length === 0) return { callbacks: [], hasNextPage: false, isIncomplete: false };
  const pairs = workflowNames.length * NON_TERMINAL_STATUSES.length;
  const looked = Math.ceil(
    Math.max(CALLBACKS_SCANNED, Math.min(10 * pairs, MOST_CALLBACKS_SCANNED)) / pairs,
  );
  const request = { workflowNames, statuses: NON_TERMINAL_STATUSES, pageSize, looked, after };
  const { items, next, isIncomplete } = await context.store.listCallbacks(request);
  return {
    callbacks: items.map(toCallbackView),
    hasNextPage: next !== null,
    ...(next === null ? {} : { cursor: toCursor(KIND, { after: next }) }),
    isIncomplete,
  };
}

function parseCursor(cursor: string): CallbackPosition | null {
  const { after } = fromCursor(KIND, cursor);
  const position = toPosition(KIND, after);
  const { stepId = "" } = after as { readonly stepId?: unknown };
  // The step is given by its row id, or not at all.
  const step = stepId === "" ? position : toPosition(KIND, { at: 0, id: stepId });
  return position === null || step === null
    ? null
    : { ...position, stepId: stepId === "" ? "" : step.id };
}

const toCallbackView = ({ instanceId, wakeAt, ...callback }: OpenCallback): CallbackView => ({
  workflowName: callback.workflowName,
  id: instanceId,
  runNumber: callback.runNumber,
  status: callback.status,
  stepKey: callback.stepKey,
  name: callback.name,
  createdAt: callback.createdAt,
  wakeAt: unlessNever(wakeAt),
});
