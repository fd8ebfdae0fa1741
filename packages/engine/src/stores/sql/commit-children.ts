/** @module The statements of commits about children. Loaded with the first of them. */
import type { Dialect } from "@escapement/db/client";
import type { Change, Commit } from "../../core/model/change.ts";
import type { CommitResult } from "../../ports/commit.ts";
import { toGivenRow, toTracedRow } from "./create.ts";
import { queryRows } from "./late-statements.ts";
import type { LeasedRow, Query } from "./rows.ts";
import {
  type ChildEndRow,
  type ChildRow,
  insertChildren,
  insertChildTasks,
  leaveCommitted,
  type LeftChildRow,
  refuseChildren,
  notifyCommitted,
} from "./statements/commit-children.ts";
import type { RowsStatement } from "./statements/given-rows.ts";

interface ChildRows {
  readonly created: ChildRow[];
  readonly left: LeftChildRow[];
  readonly ended: ChildEndRow[];
}

/** The task of a child that was created. */
interface CreatedTaskRow {
  readonly id: string;
}

interface ChildStatements extends Readonly<Record<string, Query<unknown> | null>> {
  readonly createdTasks: Query<CreatedTaskRow> | null;
}

/** The statements in their order, under names of their own. */
export function toChildStatements(dialect: Dialect, commits: readonly Commit[]): ChildStatements {
  const rows: ChildRows = { created: [], left: [], ended: [] };
  for (const { lease, changes } of commits)
    for (const change of changes) addRow(rows, lease, change);
  return {
    createdInstances: queryRows(dialect, insertChildren, rows.created),
    createdTasks: queryRows(dialect, insertChildTasks, rows.created),
    refused: queryRows(dialect, refuseChildren, rows.created),
    ...write(dialect, "left", rows.left, leaveCommitted),
    ...write(dialect, "ended", rows.ended, notifyCommitted),
  };
}

/** Adds to the results which children the batch created. @param tasks of theirs */
export function withChildren(
  commits: readonly Commit[],
  results: readonly CommitResult[],
  tasks: readonly CreatedTaskRow[] = [],
): readonly CommitResult[] {
  if (tasks.length === 0) return results;
  const made = new Set(tasks.map(({ id }) => id));
  return results.map((result, index) => {
    const children = (commits[index]?.changes ?? []).flatMap((change) =>
      change.kind === "childCreated" && made.has(change.taskRowId) ? [change.taskRowId] : [],
    );
    return result.kind === "committed" && children.length > 0 ? { ...result, children } : result;
  });
}

function addRow(rows: ChildRows, lease: LeasedRow, change: Change): void {
  if (change.kind === "childReleased") rows.left.push({ ...lease, stepKey: change.stepKey });
  else if (change.kind === "childCreated")
    rows.created.push({
      ...lease,
      stepKey: change.stepKey,
      childWorkflowName: change.workflowName,
      childInstanceId: change.instanceId,
      childRowId: change.instanceRowId,
      childTaskId: change.taskRowId,
      ...(change.params === null ? {} : { params: change.params }),
      ...(change.claim === null
        ? {}
        : { claimToken: change.claim.token, claimMs: change.claim.leaseMs }),
      onParentEnd: change.onParentEnd,
      eventRowId: change.refusal.rowId,
      payload: change.refusal.payload,
      ...toGivenRow(change),
      ...toTracedRow(change),
    });
  else if (change.kind === "parentTold")
    rows.ended.push({
      ...lease,
      parentWorkflowName: change.parent.workflowName,
      parentInstanceId: change.parent.instanceId,
      parentRunNumber: change.parent.runNumber,
      parentStepKey: change.parent.stepKey,
      eventRowId: change.event.rowId,
      payload: change.event.payload,
    });
}

function write(
  dialect: Dialect,
  prefix: string,
  rows: readonly object[],
  statements: Readonly<Record<string, RowsStatement>>,
): Readonly<Record<string, Query<never> | null>> {
  return Object.fromEntries(
    Object.entries(statements).map(([name, statement]) => [
      `${prefix} ${name}`,
      queryRows(dialect, statement, rows),
    ]),
  );
}
