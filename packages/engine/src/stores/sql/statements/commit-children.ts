/** @module Writes of commits about children, under their leases. Loaded with the first of them. */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import type { Giving, RowsStatement } from "./given-rows.ts";
import { hint } from "./hint.ts";
import { leaveChildren, type LeaveStatements } from "./leave-children.ts";
import { LEASE_COLUMNS, leasedRows, leasedRowsInTurn } from "./leased-rows.ts";
import type { LeasedRow } from "../rows.ts";
import { filter } from "./planner-hints.ts";
import { EVENT, INSTANCE, INSTANCE_IDS, TASK, UNLIMITED_ATTEMPTS } from "./tables.ts";
import { childEvent, notifyParents, type NotifyStatements } from "./notify-parents.ts";

/** A child to create. */
export interface ChildRow extends LeasedRow {
  readonly stepKey: string;
  readonly childWorkflowName: string;
  readonly childInstanceId: string;
  readonly childRowId: string;
  readonly childTaskId: string;
  readonly params?: string;
  /** With these, the new run is claimed at once. */
  readonly claimToken?: string;
  readonly claimMs?: number;
  readonly onParentEnd: string;
  readonly eventRowId: string;
  readonly payload: string;
  readonly deadlineAt?: number;
  readonly deadlineInMs?: number;
  readonly tags?: string;
  readonly memo?: string;
  readonly traceContext?: string;
}

/** A step that no longer waits for its child. */
export interface LeftChildRow extends LeasedRow {
  readonly stepKey: string;
}

/** A child that ends. */
export interface ChildEndRow extends LeasedRow {
  readonly parentWorkflowName: string;
  readonly parentInstanceId: string;
  readonly parentRunNumber: number;
  readonly parentStepKey: string;
  readonly eventRowId: string;
  readonly payload: string;
}

const texts = (...names: readonly string[]): readonly JsonColumn[] =>
  names.map((name) => ({ name, type: "text" }));

const CHILD_COLUMNS: readonly JsonColumn[] = [
  ...LEASE_COLUMNS,
  ...texts("stepKey", "childWorkflowName", "childInstanceId", "childRowId", "childTaskId"),
  ...texts("params", "onParentEnd", "eventRowId", "payload", "claimToken"),
  ...texts("tags", "memo", "traceContext"),
  ...["claimMs", "deadlineAt", "deadlineInMs"].map((name): JsonColumn => ({
    name,
    type: "bigint",
  })),
];

const children = (dialect: Dialect, giving: Giving): string =>
  leasedRows(dialect, giving, { columns: CHILD_COLUMNS });

/** Ids that are taken are left alone. */
export const insertChildren: RowsStatement = {
  columns: CHILD_COLUMNS,
  text: (dialect, giving) =>
    `insert into ${INSTANCE} ("id", "workflowName", "instanceId", "runNumber", "status", "params", "pauseRequested", ` +
    `"createdAt", "updatedAt", "startedAt", "parentWorkflowName", "parentInstanceId", "parentRunNumber", "parentStepKey", "onParentEnd", ` +
    `"deadlineAt", "tags", "memo", "traceContext") ` +
    `select l."childRowId", l."childWorkflowName", l."childInstanceId", 1, ` +
    `case when l."claimToken" is null then 'queued' else 'running' end, l."params", false, ${dialect.now}, ${dialect.now}, ` +
    `case when l."claimToken" is not null then ${dialect.now} end, l."leaseWorkflowName", l."leaseInstanceId", l."leaseRunNumber", l."stepKey", ` +
    `l."onParentEnd", coalesce(${dialect.fromMs(`l."deadlineAt"`)}, ${dialect.plusMs(dialect.now, `l."deadlineInMs"`)}), ` +
    `l."tags", l."memo", l."traceContext" from ${children(dialect, giving)} where true ` +
    `on conflict ("workflowName", "instanceId") do nothing`,
};

/** Inserts tasks for the inserted children. Rows: the tasks. */
export const insertChildTasks: RowsStatement = {
  columns: CHILD_COLUMNS,
  text: (dialect, giving) =>
    `insert into ${TASK} ("id", "workflowName", "instanceId", "runNumber", "kind", "priority", "runAt", "status", ` +
    `"attempts", "claimNumber", "maxAttempts", "lockOwner", "lockedUntil", "createdAt", "updatedAt") ` +
    `select l."childTaskId", i."workflowName", i."instanceId", i."runNumber", 'run', 1, ${dialect.least(dialect.now, `i."deadlineAt"`)}, ` +
    `case when l."claimToken" is null then 'pending' else 'processing' end, ${CLAIMS}, ${CLAIMS}, ${UNLIMITED_ATTEMPTS}, ` +
    `l."claimToken", ${dialect.plusMs(dialect.now, `l."claimMs"`)}, ${dialect.now}, ${dialect.now} from ${children(dialect, giving)} ` +
    `${dialect.joinEach(INSTANCE, "i", dialect.isKey(`i."id"`, `l."childRowId"`), INSTANCE_IDS)} ` +
    `where ${filter(`i."_version" = 0 and i."status" in ('queued', 'running')`)} ` +
    `on conflict ("workflowName", "instanceId", "runNumber") do nothing returning "id"` +
    hint(dialect, TASK, `${TASK}."status" = 'pending'`, ", "),
};

const CLAIMS = `case when l."claimToken" is null then 0 else 1 end`;

/** Tells steps that their child was not inserted, because another instance has the id. */
export const refuseChildren: RowsStatement = {
  columns: CHILD_COLUMNS,
  text: (dialect, giving) => {
    const type = childEvent(`l."childInstanceId"`, `l."stepKey"`);
    const isThere = `exists (select 1 from ${INSTANCE} as i where ${dialect.isKey(`i."id"`, `l."childRowId"`)})`;
    return (
      `insert into ${EVENT} ("id", "workflowName", "instanceId", "runNumber", "type", "payload", "eventId", "sizeBytes", ` +
      `"createdAt") select l."eventRowId", l."leaseWorkflowName", l."leaseInstanceId", l."leaseRunNumber", ${type}, ` +
      `l."payload", ${type}, ${dialect.byteLength(`l."payload"`)}, ${dialect.clock} from ${children(dialect, giving)} ` +
      `where ${filter(`not ${isThere}`)} on conflict do nothing`
    );
  },
};

const LEFT_COLUMNS: readonly JsonColumn[] = [...LEASE_COLUMNS, ...texts("stepKey")];

/** Leaves children. A run's children are read once and looked up among the steps, however many there are of both. */
const leave = (name: keyof LeaveStatements): RowsStatement => ({
  columns: LEFT_COLUMNS,
  text: (dialect, giving) => {
    const steps = leasedRowsInTurn(dialect, giving, { columns: LEFT_COLUMNS });
    const run = `l."leaseWorkflowName", l."leaseInstanceId", l."leaseRunNumber"`;
    const parent = `i."parentWorkflowName", i."parentInstanceId", i."parentRunNumber"`;
    const isLeft = `(${parent}, i."parentStepKey") in (select ${run}, l."stepKey" from ${steps})`;
    const runs = `(select distinct ${run} from ${steps}) as l`;
    return leaveChildren(dialect, runs, ` and ${filter(isLeft)}`)[name];
  },
});

export const leaveCommitted: Readonly<Record<keyof LeaveStatements, RowsStatement>> = {
  lockTasks: leave("lockTasks"),
  lockInstances: leave("lockInstances"),
  wakeTasks: leave("wakeTasks"),
  insertTasks: leave("insertTasks"),
  updateInstances: leave("updateInstances"),
};

const END_COLUMNS: readonly JsonColumn[] = [
  ...LEASE_COLUMNS,
  ...texts("parentWorkflowName", "parentInstanceId"),
  { name: "parentRunNumber", type: "bigint" },
  ...texts("parentStepKey", "eventRowId", "payload"),
];

const tell = (name: keyof NotifyStatements): RowsStatement => ({
  columns: END_COLUMNS,
  text: (dialect, giving) => {
    const ends =
      `(select e."parentWorkflowName" as "workflowName", e."parentInstanceId" as "instanceId", ` +
      `e."parentRunNumber" as "runNumber", e."parentStepKey" as "stepKey", e."eventRowId", e."payload", ` +
      `${childEvent(`e."leaseInstanceId"`, `e."parentStepKey"`)} as "type" from ` +
      `${leasedRows(dialect, giving, { columns: END_COLUMNS }).replace(/ as l$/u, " as e")}) as l`;
    return notifyParents(dialect, ends)[name];
  },
});

export const notifyCommitted: Readonly<Record<keyof NotifyStatements, RowsStatement>> = {
  lockTasks: tell("lockTasks"),
  lockInstances: tell("lockInstances"),
  insertEvents: tell("insertEvents"),
  wakeTasks: tell("wakeTasks"),
};
