/** Commits that found no lease: the lease is lost, or an earlier try has applied the commit. */
import type { Commit } from "../../core/model/change.ts";
import { toCommitName } from "../../core/model/commit-name.ts";
import type { CommitResult } from "../../ports/commit.ts";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import { toResult } from "./commit-result.ts";
import { queryGiven } from "./late-statements.ts";
import { groupByTask } from "./records.ts";
import type { Fenced, RepeatRow } from "./rows.ts";
import { commitRepeats } from "./statements/commit-repeats.ts";

/** Returns the results, with `committed` for commits that an earlier try has applied. One trip. */
export async function findRepeats(
  context: SqlContext,
  commits: readonly Commit[],
  results: readonly CommitResult[],
): Promise<readonly CommitResult[]> {
  const missing = commits.filter((_commit, index) => results[index]?.kind === "conflict");
  // Each statement uses some of these columns.
  const leases = missing.map(({ lease, number, knownEventSequence }) => ({
    taskId: lease.taskId,
    token: lease.token,
    instanceRowId: lease.instanceRowId,
    endedBy: toCommitName({ lease, number }),
    knownSequence: knownEventSequence,
  }));
  const { database, dialect, statements } = context;
  const answers = await applyBatch(database, {
    repeats: queryGiven<RepeatRow>(dialect, commitRepeats, leases),
    fence: statements.commitFence(leases),
  });
  const repeatOf = new Map(answers.repeats.map((row) => [row.taskId, row]));
  const fenced = groupByTask<Fenced>(answers.fence);
  return commits.map((commit, index) => {
    const { taskId } = commit.lease;
    const repeat = repeatOf.get(taskId);
    const result = results[index] ?? { kind: "conflict" };
    return result.kind !== "conflict" || repeat === undefined
      ? result
      : toRepeat(commit, repeat, fenced.get(taskId) ?? []);
  });
}

/** Returns results for repeats that have ended their leases already. One trip. */
export async function findEnded(
  context: SqlContext,
  repeats: readonly Commit[],
): Promise<ReadonlyMap<Commit, CommitResult>> {
  const unknown = repeats.map((): CommitResult => ({ kind: "conflict" }));
  const found = await findRepeats(context, repeats, unknown);
  return new Map(
    repeats.flatMap((commit, index) => {
      const result = found[index];
      return result?.kind === "committed" ? [[commit, result] as const] : [];
    }),
  );
}

/** If the run goes on after the commit, its lease must still be held; otherwise the commit has ended the lease. */
function toRepeat(commit: Commit, row: RepeatRow, fenceRows: readonly Fenced[]): CommitResult {
  if (!row.isEnded)
    return row.isHeld && commit.outcome.kind === "continue"
      ? toResult(commit, fenceRows, new Map())
      : { kind: "conflict" };
  return {
    kind: "committed",
    now: row.now,
    pauseRequested: false,
    endRequested: null,
    paused: row.status === "paused",
    events: [],
    hasMoreEvents: false,
    dueAt: row.dueAt,
  };
}
