/** `Store.commit`: boundaries of many runs in one batch, each fenced by its own lease. */
import type { Statement } from "@escapement/db";
import type { Commit } from "../../core/model/change.ts";
import type { EventRecord } from "../../core/model/records.ts";
import type { CommitResult } from "../../ports/store.ts";
import { applyBatch, type BatchRows, type SqlContext } from "./apply-batch.ts";
import { toCommitRows } from "./commit-rows.ts";
import { type EventRow, groupByTask, toEventRecord } from "./records.ts";

interface FenceResultRow extends EventRow {
  readonly taskId: string;
  readonly pauseRequested: boolean | number;
  readonly now: number;
}

interface ScheduledRow {
  readonly id: string;
  readonly dueAt: number;
}

/** Applies commits in one trip. Only the statements that the commits present need are sent. */
export async function commitRuns(
  { database, statements }: SqlContext,
  commits: readonly Commit[],
): Promise<readonly CommitResult[]> {
  const rows = toCommitRows(commits);
  const batch: Statement[] = [statements.commitFence(JSON.stringify(rows.fence))];
  if (rows.steps.length > 0) batch.push(statements.commitSteps(JSON.stringify(rows.steps)));
  if (rows.events.length > 0) batch.push(statements.commitEvents(JSON.stringify(rows.events)));
  if (rows.instances.length > 0)
    batch.push(statements.commitInstances(JSON.stringify(rows.instances)));
  if (rows.leases.length > 0) batch.push(statements.commitLeases(JSON.stringify(rows.leases)));
  let scheduleIndex = -1;
  if (rows.schedule.length > 0) {
    scheduleIndex = batch.push(statements.commitSchedule(JSON.stringify(rows.schedule))) - 1;
  }
  if (rows.finish.length > 0) batch.push(statements.commitFinish(JSON.stringify(rows.finish)));
  const results = await applyBatch(database, batch);
  return toResults(commits, results, results[scheduleIndex] ?? []);
}

function toResults(
  commits: readonly Commit[],
  results: BatchRows,
  scheduledRows: BatchRows[number],
): readonly CommitResult[] {
  const fenced = groupByTask(
    (results[0] ?? []) as unknown as readonly FenceResultRow[],
    (row) => row,
  );
  const dueAts = new Map(
    (scheduledRows as unknown as readonly ScheduledRow[]).map((row) => [row.id, row.dueAt]),
  );
  return commits.map((commit) => toResult(commit, fenced.get(commit.lease.taskId) ?? [], dueAts));
}

function toResult(
  { lease, outcome, changes }: Commit,
  fenceRows: readonly FenceResultRow[],
  dueAts: ReadonlyMap<string, number>,
): CommitResult {
  const first = fenceRows[0];
  if (first === undefined) return { kind: "conflict" };
  const goesOn = outcome.kind === "continue";
  const givesBack = outcome.kind === "park" || outcome.kind === "release";
  const dueAt = dueAts.get(lease.taskId) ?? null;
  // The fence reads before this commit marks what it consumes.
  const consumed = new Set(
    changes.map((change) => (change.kind === "eventConsumed" ? change.eventId : null)),
  );
  const isLeft = (event: EventRecord): boolean => !consumed.has(event.id);
  return {
    kind: "committed",
    now: first.now,
    pauseRequested: goesOn && Boolean(first.pauseRequested),
    paused: outcome.kind === "pause" || (givesBack && dueAt === null),
    events: goesOn && first.id !== null ? fenceRows.map(toEventRecord).filter(isLeft) : [],
    dueAt,
  };
}
