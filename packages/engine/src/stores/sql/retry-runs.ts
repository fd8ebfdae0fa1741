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

const TASKS = "retried tasks";

/** The statements in their order, under names of their own. */
export function toRetryStatements(
  dialect: Dialect,
  commits: readonly Commit[],
): Readonly<Record<string, Query<never> | null>> {
  const rows = commits.flatMap(toRow);
  const leases = rows.map(({ taskId, token, instanceRowId }): LeasedRow => ({
    taskId,
    token,
    instanceRowId,
  }));
  return {
    "retried instances": queryRows(dialect, retryInstances, rows),
    "retried events": queryRows(dialect, retryEvents, leases),
    "retried paused": queryRows(dialect, retryPaused, leases),
    [TASKS]: queryRows(dialect, retryTasks, leases),
  };
}

/** When the tasks of a batch are due, unless they are paused. */
export const toRetried = (
  answers: Readonly<Record<string, readonly unknown[]>>,
): readonly ScheduledRow[] => answers[TASKS] as readonly ScheduledRow[];

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
