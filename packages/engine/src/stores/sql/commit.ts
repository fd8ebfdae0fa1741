/** `Store.commit`: boundaries of many runs in one batch, each fenced by its own lease. */
import type { Statement } from "@escapement/db";
import type { Commit } from "../../core/model/change.ts";
import type { EventRecord } from "../../core/model/records.ts";
import type { CommitResult } from "../../ports/store.ts";
import { applyBatch, type BatchRows, type SqlContext } from "./apply-batch.ts";
import { type CommitRows, toCommitRows } from "./commit-rows.ts";
import { type EventRow, groupByTask, toEventRecord } from "./records.ts";
import type { PreparedRows } from "./statement-set.ts";
import type { StepWriteRow } from "./statements/commit-steps.ts";

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
  const alone = toLoneStep(rows);
  if (alone !== null) return [await commitLoneStep({ database, statements }, alone)];
  const readsEvents = rows.fence.some((row) => row.knownSequence !== undefined);
  const fence = readsEvents ? statements.commitFence : statements.commitFenceOnly;
  const batch: Statement[] = [fence(rows.fence)];
  const add = (statement: PreparedRows, given: readonly object[]): number =>
    given.length === 0 ? -1 : batch.push(statement(given)) - 1;
  add(statements.commitSteps, rows.steps);
  add(statements.commitEvents, rows.events);
  add(statements.commitInstances, rows.instances);
  add(statements.commitLeases, rows.leases);
  const scheduleIndex = add(statements.commitSchedule, rows.schedule);
  add(statements.commitPaused, rows.mayBePaused);
  add(statements.commitEnded, rows.ended);
  const results = await applyBatch(database, batch);
  return toResults(commits, results, results[scheduleIndex] ?? []);
}

/** The step of a boundary that is alone in its trip and writes nothing else; null: there is more to do. */
function toLoneStep(rows: CommitRows): StepWriteRow | null {
  const { fence, steps, events, instances, leases } = rows;
  const [step] = steps;
  const isAlone = fence.length === 1 && steps.length === 1 && step !== undefined;
  const isAll = events.length + instances.length + leases.length === 0;
  return isAlone && isAll && fence[0]?.knownSequence === undefined ? step : null;
}

async function commitLoneStep(
  { database, statements }: SqlContext,
  step: StepWriteRow,
): Promise<CommitResult> {
  const [[held] = []] = (await applyBatch(database, [
    statements.commitHeldStep(step),
  ])) as unknown as readonly (readonly Pick<FenceResultRow, "now" | "pauseRequested">[])[];
  if (held === undefined) return { kind: "conflict" };
  const pauseRequested = Boolean(held.pauseRequested);
  return {
    kind: "committed",
    now: held.now,
    pauseRequested,
    paused: false,
    events: [],
    dueAt: null,
  };
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

/** The fence read an event, and not just the lease. */
const hasEvent = ({ id }: Partial<EventRow>): boolean => id !== undefined && id !== null;

function toResult(
  commit: Commit,
  fenceRows: readonly FenceResultRow[],
  dueAts: ReadonlyMap<string, number>,
): CommitResult {
  const { lease, outcome, changes } = commit;
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
    events:
      commit.readsEvents && goesOn && hasEvent(first)
        ? fenceRows.map(toEventRecord).filter(isLeft)
        : [],
    dueAt,
  };
}
