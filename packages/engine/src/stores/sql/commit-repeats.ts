/** Commits that found no lease: lost for good, or applied by an earlier try. */
import type { Commit } from "../../core/model/change.ts";
import { toCommitName } from "../../core/model/commit-name.ts";
import type { CommitResult } from "../../ports/commit.ts";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import { toResult } from "./commit-result.ts";
import { groupByTask } from "./records.ts";
import type { Fenced, RepeatRow } from "./rows.ts";

/** The results, with `committed` for those that an earlier try has applied. One trip. */
export async function findRepeats(
  { database, statements }: SqlContext,
  commits: readonly Commit[],
  results: readonly CommitResult[],
): Promise<readonly CommitResult[]> {
  const missing = commits.filter((_commit, index) => results[index]?.kind === "conflict");
  // Each statement takes its own of these columns.
  const leases = missing.map(({ lease, number, knownEventSequence }) => ({
    taskId: lease.taskId,
    token: lease.token,
    instanceRowId: lease.instanceRowId,
    endedBy: toCommitName({ lease, number }),
    knownSequence: knownEventSequence,
  }));
  const answers = await applyBatch(database, {
    repeats: statements.commitRepeats(leases),
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

/** Results of those of the repeats that have ended their leases already. One trip. */
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

/** A commit after which the run goes on has to hold its lease still; another one has ended it. */
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
