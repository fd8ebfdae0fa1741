/** @module Overviews of a database. Loaded with the first call. */
import { bucketsUpTo } from "../../core/activity.ts";
import { runnerOf } from "../../core/lease-owner.ts";
import type {
  Activity,
  ActivityBucket,
  ActivityRequest,
  CallbackPosition,
  CallbacksRequest,
  DueTasks,
  HeldLease,
  HeldLeases,
  LeasesRequest,
  OpenCallback,
  OpenCallbacks,
  Spread,
} from "../../ports/overview.ts";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import { toNameRows } from "./instance-branches.ts";
import { query } from "./late-statements.ts";
import { countDue, measureActivity as selectActivity } from "./statements/activity.ts";
import { listLeases as selectLeases } from "./statements/leases.ts";
import {
  type CallbackBranch,
  listCallbacks as selectCallbacks,
} from "./statements/open-callbacks.ts";
import { selectNow } from "./statements/load-instance.ts";

/** Some drivers return 64-bit numbers as text. */
type Number64 = number | string;

interface ActivityRow {
  readonly kind: "created" | "complete" | "errored" | "terminated" | "started" | "waits" | "cut";
  readonly bucket: Number64;
  readonly count: Number64;
  readonly median: Number64 | null;
  readonly p95: Number64 | null;
  readonly longest: Number64 | null;
}

interface DueRow {
  readonly workflowName: string;
  readonly count: Number64;
  readonly oldestAt: Number64;
}

interface NowRow {
  readonly now: Number64;
}

export async function measureActivity(
  { database, dialect }: SqlContext,
  request: ActivityRequest,
): Promise<Activity> {
  const { bucketMs, bucketCount, walked, looked, sampled, counted } = request;
  const names = toNameRows(request.workflowNames);
  const { clock, activity, due } = await applyBatch(database, {
    clock: query<NowRow>(dialect, selectNow),
    activity: query<ActivityRow>(
      dialect,
      selectActivity,
      names,
      walked,
      bucketMs,
      bucketCount,
      sampled,
      looked,
    ),
    due: query<DueRow>(dialect, countDue, names, counted),
  });
  const now = Number(clock[0]?.now);
  const cut = activity.find(({ kind }) => kind === "cut");
  return {
    now,
    buckets: bucketsUpTo(now, request).map((at) => toBucket(activity, at, bucketMs)),
    due: due.map((row) => toDue(row, counted)),
    lookedFrom: cut === undefined ? null : Number(cut.bucket),
  };
}

function toBucket(rows: readonly ActivityRow[], at: number, bucketMs: number): ActivityBucket {
  const own = rows.filter(({ kind, bucket }) => kind !== "cut" && Number(bucket) * bucketMs === at);
  const find = (of: ActivityRow["kind"]): ActivityRow | undefined =>
    own.find(({ kind }) => kind === of);
  const count = (of: ActivityRow["kind"]): number => Number(find(of)?.count ?? 0);
  return {
    at,
    created: count("created"),
    complete: count("complete"),
    errored: count("errored"),
    terminated: count("terminated"),
    started: count("started"),
    waitMs: toSpread(find("started")),
    waitsEnded: count("waits"),
    latenessMs: toSpread(find("waits")),
  };
}

const toSpread = (row: ActivityRow | undefined): Spread | null =>
  row === undefined
    ? null
    : { median: Number(row.median), p95: Number(row.p95), longest: Number(row.longest) };

function toDue({ workflowName, count: found, oldestAt }: DueRow, counted: number): DueTasks {
  const count = Math.min(counted, Number(found));
  return { workflowName, count, isCapped: count === counted, oldestAt: Number(oldestAt) };
}

type LeaseRow = Omit<HeldLease, "runner" | "until"> & {
  readonly lockOwner: string | null;
  readonly until: Number64;
};

export async function listLeases(
  { database, dialect }: SqlContext,
  { workflowNames, limit }: LeasesRequest,
): Promise<HeldLeases> {
  const { clock, held } = await applyBatch(database, {
    clock: query<NowRow>(dialect, selectNow),
    held: query<LeaseRow>(dialect, selectLeases, toNameRows(workflowNames), limit),
  });
  const countOf = new Map<string, number>();
  for (const { workflowName } of held)
    countOf.set(workflowName, (countOf.get(workflowName) ?? 0) + 1);
  return {
    now: Number(clock[0]?.now),
    leases: held.map(toLease),
    isCapped: [...countOf.values()].some((count) => count === limit),
  };
}

const toLease = (row: LeaseRow): HeldLease => ({
  workflowName: row.workflowName,
  instanceId: row.instanceId,
  runNumber: row.runNumber,
  runner: runnerOf(row.lockOwner),
  until: Number(row.until),
  attempts: row.attempts,
});

interface Cut {
  readonly cutAt: Number64 | null;
  readonly cutId: string | null;
}

interface FoundCallback extends Omit<OpenCallback, "createdAt" | "wakeAt">, Cut {
  readonly at: Number64;
  readonly id: string;
  readonly stepId: string;
  readonly createdAt: Number64;
  readonly wakeAt: Number64 | null;
}

/** Without a step, there is no callback. */
type CallbackRow = FoundCallback | (Cut & { readonly stepId: null });

export async function listCallbacks(
  { database, dialect }: SqlContext,
  { workflowNames, statuses, pageSize, looked, after }: CallbacksRequest,
): Promise<OpenCallbacks> {
  const branches: readonly CallbackBranch[] = workflowNames.flatMap((workflowName) =>
    statuses.map((status) => ({ workflowName, status })),
  );
  const { at, id, stepId } = after ?? { at: 0, id: "", stepId: "" };
  const { found } = await applyBatch(database, {
    found: query<CallbackRow>(
      dialect,
      selectCallbacks,
      JSON.stringify(branches),
      pageSize + 1,
      looked,
      at,
      id,
      stepId,
    ),
  });
  return toCallbacks(found, pageSize);
}

function toCallbacks(found: readonly CallbackRow[], pageSize: number): OpenCallbacks {
  const rows = found.flatMap((row) => (row.stepId === null ? [] : [row]));
  const shown = rows.slice(0, pageSize);
  const last = shown.at(-1);
  const items = shown.map(toCallback);
  if (last !== undefined && rows.length > shown.length) {
    const next = { at: Number(last.at), id: last.id, stepId: last.stepId };
    return { items, next, isIncomplete: false };
  }
  const next = toCut(found[0]);
  return { items, next, isIncomplete: next !== null };
}

const toCallback = (row: FoundCallback): OpenCallback => ({
  workflowName: row.workflowName,
  instanceId: row.instanceId,
  runNumber: row.runNumber,
  status: row.status,
  stepKey: row.stepKey,
  name: row.name,
  createdAt: Number(row.createdAt),
  wakeAt: row.wakeAt === null ? null : Number(row.wakeAt),
});

/** The position after all callbacks of the last instance that was looked at. */
const toCut = (row: Cut | undefined): CallbackPosition | null =>
  row === undefined || row.cutAt === null || row.cutId === null
    ? null
    : { at: Number(row.cutAt), id: row.cutId, stepId: "" };
