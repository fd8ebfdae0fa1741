/** A boundary with writes to other tables. It is alone in its batch, and all or nothing, so it has guards instead of fences. */
import { batchWithRetry, DatabaseError, type Statement } from "@escapement/db/client";
import type { Commit, OtherTableWrites } from "../../core/model/change.ts";
import type { CommitResult } from "../../ports/commit.ts";
import {
  type BatchRows,
  busyError,
  rowsOf,
  type SqlContext,
  toWorkflowError,
} from "./apply-batch.ts";
import {
  commitRuns,
  loadChildren,
  loadProgress,
  loadTopics,
  toFence,
  trims,
  write,
  writeSteps,
} from "./commit.ts";
import { toResult } from "./commit-result.ts";
import { toWriteOf } from "./commit-steps.ts";
import { type CommitRows, toCommitRows } from "./commit-rows.ts";
import { query } from "./late-statements.ts";
import type { Fenced, Query } from "./rows.ts";
import {
  guardLease,
  guardUnwritten,
  LEASE_GUARD,
  UNWRITTEN_GUARD,
} from "./statements/commit-guards.ts";

const isForeign = (change: Commit["changes"][number]): change is OtherTableWrites =>
  change.kind === "otherTables";

/**
 * Applies a commit with its writes to other tables. If those are refused, the refusal is the result. If the commit was applied
 * before and its answer was lost, it is recognised, and nothing is written again.
 *
 * @throws {WorkflowError} STORE_UNAVAILABLE
 */
export async function commitWithForeignWrites(
  context: SqlContext,
  commit: Commit,
): Promise<CommitResult> {
  const own = await toOwnStatements(context, commit);
  const foreign = commit.changes.filter(isForeign).flatMap(({ statements }) => statements);
  const result = await batchWithRetry(context.database, [...own, ...foreign]).catch(toRejection);
  if (result.kind === "committed") return toCommitted(commit, own, result.rows);
  if (result.kind !== "conflict") return { kind: "refused", refusal: result };
  if (result.guard === LEASE_GUARD) return { kind: "conflict" };
  if (result.guard === UNWRITTEN_GUARD) return commitAgain(context, commit);
  if (result.guard === null) throw busyError(result.reason);
  return { kind: "refused", refusal: result };
}

/** The fence comes first, because its rows are read. */
type OwnStatements = readonly [fence: Query<Fenced>, ...rest: readonly Statement[]];

/**
 * The store's own writes come first. If another try of the same commit is under way, this one waits for its locks there, and
 * can then be distinguished from a refusal of the writes to other tables.
 */
async function toOwnStatements(context: SqlContext, commit: Commit): Promise<OwnStatements> {
  const { dialect, statements } = context;
  const rows: CommitRows = toCommitRows([commit]);
  const children = await loadChildren([commit]);
  const topics = (await loadTopics([commit]))?.toTopicStatements(dialect, [commit]);
  const progress = await loadProgress([commit]);
  const { taskId, token } = commit.lease;
  const run = [commit.run.workflowName, commit.run.instanceId, commit.run.runNumber] as const;
  const stepKey = commit.changes.find(isForeign)?.stepKey ?? "";
  const { version, loops } = toWriteOf(commit, stepKey);
  return [
    toFence(statements, rows),
    query(dialect, guardLease, taskId, token),
    query(dialect, guardUnwritten, ...run, stepKey, version, loops),
    ...[
      ...Object.values(topics?.before ?? {}),
      writeSteps(statements, [commit], rows),
      write(statements.commitEvents, rows.events),
      write(statements.commitReplies, rows.replies),
      ...Object.values(trims(statements, rows)),
      ...Object.values(children?.toChildStatements(dialect, [commit]) ?? {}),
      ...Object.values(topics?.after ?? {}),
      ...Object.values(progress?.toProgressStatements(dialect, [commit]) ?? {}),
      write(statements.commitLeases, rows.leases),
    ].filter((statement) => statement !== null),
  ];
}

function toCommitted(commit: Commit, own: OwnStatements, rows: BatchRows): CommitResult {
  const result = toResult(commit, rowsOf(own[0], rows[0]), new Map());
  return result.kind === "committed"
    ? { ...result, otherTableRows: rows.slice(own.length) }
    : result;
}

/** An earlier try applied all of it. Repeating the rest is safe, and reads what the runner has to know next. */
async function commitAgain(context: SqlContext, commit: Commit): Promise<CommitResult> {
  const changes = commit.changes.filter((change) => !isForeign(change));
  const [result] = await commitRuns(context, [{ ...commit, changes }]);
  return result ?? { kind: "conflict" };
}

/** @throws {WorkflowError} STORE_UNAVAILABLE */
function toRejection(error: unknown): { readonly kind: "rejected"; readonly error: unknown } {
  if (DatabaseError.is(error) && error.code === "DATABASE_REJECTED")
    return { kind: "rejected", error };
  throw toWorkflowError(error);
}
