/** @module The statements of commits of runs that begin again. Loaded with the first of them. */
import type { Dialect } from "@escapement/db/client";
import type { Commit, RunRetried } from "../../core/model/change.ts";
import { toCommitName } from "../../core/model/commit-name.ts";
import { toInstanceDetail } from "./instance-detail.ts";
import { queryRows } from "./late-statements.ts";
import type { LeasedRow, Query, ScheduledRow } from "./rows.ts";
import {
  retryEvents,
  retryInstances,
  retryPaused,
  type RetryRunRow,
  retryTasks,
} from "./statements/retry-runs.ts";

interface RetryStatements extends Readonly<Record<string, Query<unknown> | null>> {
  /** Rows: when the tasks are due, unless they are paused. */
  readonly retriedTasks: Query<ScheduledRow> | null;
}

/** The statements in their order, under names of their own. */
export function toRetryStatements(dialect: Dialect, commits: readonly Commit[]): RetryStatements {
  const rows = commits.flatMap(toRow);
  const leases = rows.map(({ taskId, token, instanceRowId }): LeasedRow => ({
    taskId,
    token,
    instanceRowId,
  }));
  return {
    retriedInstances: queryRows(dialect, retryInstances, rows),
    retriedEvents: queryRows(dialect, retryEvents, leases),
    retriedPaused: queryRows(dialect, retryPaused, leases),
    retriedTasks: queryRows(dialect, retryTasks, leases),
  };
}

const toRow = (commit: Commit): readonly RetryRunRow[] =>
  commit.outcome.kind === "retryRun" ? [toRetryRow(commit, commit.outcome)] : [];

function toRetryRow(commit: Commit, { error, due, keys }: RunRetried): RetryRunRow {
  const { taskId, token, instanceRowId } = commit.lease;
  return {
    taskId,
    token,
    instanceRowId,
    ...("at" in due ? { dueAt: due.at } : { dueInMs: due.inMs }),
    hasNewKeys: keys === "new",
    errorName: error.name,
    errorMessage: error.message,
    errorDetail: toInstanceDetail(error, []) ?? undefined,
    endedBy: toCommitName(commit),
  };
}
