/** Every statement of the store, compiled once per dialect, so that no call builds SQL and servers can cache plans by text. */
import type { Dialect, JsonColumn, SqlValue, Statement } from "@escapement/db/client";
import type { StoreCommand } from "../../core/decide/lifecycle.ts";
import type { StepWriteRow } from "./step-columns.ts";
import { endFormerLeases } from "./statements/claim-former.ts";
import {
  claimEvents,
  claimEventsOfOne,
  claimSteps,
  claimStepsOfOne,
} from "./statements/claim-history.ts";
import { claimInstances } from "./statements/claim-instances.ts";
import { claimNext, findDue } from "./statements/claim-next.ts";
import { claimTasks } from "./statements/claim-tasks.ts";
import { commitEvents } from "./statements/commit-events.ts";
import { commitFence, commitFenceOnly } from "./statements/commit-fence.ts";
import { commitEnded, commitPaused } from "./statements/commit-finish.ts";
import { guardLease, guardUnwritten } from "./statements/commit-guards.ts";
import { commitInstances } from "./statements/commit-instances.ts";
import { commitLeases } from "./statements/commit-leases.ts";
import { commitReplies } from "./statements/commit-replies.ts";
import { commitRepeats } from "./statements/commit-repeats.ts";
import { commitSchedule } from "./statements/commit-schedule.ts";
import { commitLoneStep, isPlainStep } from "./statements/commit-lone-step.ts";
import {
  commitGoingSteps,
  commitHeldSteps,
  commitSteps,
  commitStepsInLoops,
} from "./statements/commit-steps.ts";
import { commitTrimmedEvents, commitTrims } from "./statements/commit-trims.ts";
import { controlStatements } from "./statements/control.ts";
import { insertInstances, insertTasks, selectCreated } from "./statements/create.ts";
import type { HeldStepRow, InstanceRow, Query, RowsStatementRows, StatementRows } from "./rows.ts";
import type { RowsStatement, SingleStatement } from "./statements/given-rows.ts";
import { loadInstance, selectNow } from "./statements/load-instance.ts";
import { lastEvent, loadEvents } from "./statements/load-events.ts";
import { loadReply } from "./statements/load-reply.ts";
import { loadSteps } from "./statements/load-steps.ts";
import { lockInstance, lockTask } from "./statements/lock.ts";
import {
  findEvent,
  findEventById,
  insertEvent,
  wakeAndClaimTask,
  wakeTask,
} from "./statements/send-event.ts";

/** A statement that takes its values. */
export type Prepared<TRow> = (...values: readonly SqlValue[]) => Query<TRow>;

/** A statement that takes rows. A single row is given by its values, several as a JSON array. */
export type PreparedRows<TRow> = (rows: readonly object[]) => Query<TRow>;

/** The statements of one lifecycle command. */
export interface PreparedControl {
  readonly deleteTask: Prepared<never>;
  readonly insertTask: Prepared<never> | null;
  readonly updateInstance: Prepared<InstanceRow>;
}

export type StatementName = keyof StatementRows;

/** Statements over rows of the caller. */
export type RowsStatementName = keyof RowsStatementRows;

const ROWS_STATEMENTS: Readonly<Record<RowsStatementName, RowsStatement>> = {
  commitEnded,
  commitEvents,
  commitFence,
  commitFenceOnly,
  commitGoingSteps: commitGoingSteps.upsert,
  commitHeldSteps: commitHeldSteps.upsert,
  commitInstances,
  commitLeases,
  commitPaused,
  commitRepeats,
  commitReplies,
  commitSchedule,
  commitSteps,
  commitStepsInLoops,
  commitTrimmedEvents,
  commitTrims,
  commitNewGoingSteps: commitGoingSteps.insert,
  commitNewHeldSteps: commitHeldSteps.insert,
  insertInstances,
  insertTasks,
  selectCreated,
};

const TEXTS: Readonly<Record<StatementName, (dialect: Dialect) => string>> = {
  claimEvents,
  claimEventsOfOne,
  claimInstances,
  claimNext,
  claimSteps,
  claimStepsOfOne,
  claimTasks,
  endFormerLeases,
  findDue,
  findEvent,
  findEventById,
  guardLease,
  guardUnwritten,
  insertEvent,
  lastEvent,
  loadEvents,
  loadInstance,
  loadReply,
  loadSteps,
  lockInstance,
  lockTask,
  selectNow,
  wakeAndClaimTask,
  wakeTask,
};

type PreparedSet = {
  readonly [TName in StatementName]: Prepared<StatementRows[TName]>;
} & { readonly [TName in RowsStatementName]: PreparedRows<RowsStatementRows[TName]> };

type PreparedLoneStep = (row: StepWriteRow) => Query<Omit<HeldStepRow, "id">>;

/** All statements of one store. */
export interface StatementSet extends PreparedSet {
  readonly commitLoneStep: PreparedLoneStep;
  readonly commitNewLoneStep: PreparedLoneStep;
  readonly control: Readonly<Record<StoreCommand, PreparedControl>>;
}

/** The dialect for which a store's statements are compiled. @param notifies tell listeners about due work, if the database can */
export const toStoreDialect = (dialect: Dialect, notifies: boolean): Dialect => ({
  ...dialect,
  notify: notifies ? dialect.notify : null,
});

/** Compiles every statement except those that are loaded late. @param notifies as in `toStoreDialect` */
export function compileStatements(own: Dialect, notifies: boolean = false): StatementSet {
  const dialect = toStoreDialect(own, notifies);
  const plain = Object.entries(TEXTS).map(([name, text]) => [name, prepare(text(dialect))]);
  const overRows = Object.entries(ROWS_STATEMENTS).map(([name, statement]) => [
    name,
    prepareRows(dialect, statement),
  ]);
  const control = {
    pause: prepareControl(dialect, "pause"),
    resume: prepareControl(dialect, "resume"),
    cancel: prepareControl(dialect, "cancel"),
    terminate: prepareControl(dialect, "terminate"),
    rollback: prepareControl(dialect, "rollback"),
    restart: prepareControl(dialect, "restart"),
    restartWithNewKeys: prepareControl(dialect, "restartWithNewKeys"),
    retry: prepareControl(dialect, "retry"),
  };
  return {
    ...(Object.fromEntries([...plain, ...overRows]) as PreparedSet),
    commitLoneStep: prepareLoneStep(dialect, commitLoneStep.upsert),
    commitNewLoneStep: prepareNewLoneStep(dialect),
    control,
  };
}

const prepare =
  (text: string): Prepared<never> =>
  (...values) => ({ text, values });

const prepareLoneStep = (dialect: Dialect, { columns, text }: SingleStatement): PreparedLoneStep =>
  prepareSingle(columns, text(dialect));

function prepareNewLoneStep(dialect: Dialect): PreparedLoneStep {
  const any = prepareLoneStep(dialect, commitLoneStep.insert);
  const plain = prepareLoneStep(dialect, commitLoneStep.insertPlain);
  return (row) => (isPlainStep(row) ? plain(row) : any(row));
}

/** Prepares a statement over rows. */
export function prepareRows(
  dialect: Dialect,
  { columns, text }: RowsStatement,
): PreparedRows<never> {
  const array = text(dialect, "array");
  const single = prepareSingle(columns, text(dialect, "single"));
  return (rows) => {
    const [row] = rows;
    return rows.length === 1 && row !== undefined
      ? single(row)
      : { text: array, values: [JSON.stringify(rows)] };
  };
}

/** Prepares a statement over one row. Members that the row lacks are null. */
export function prepareSingle(
  columns: readonly JsonColumn[],
  text: string,
): (row: object) => Statement {
  const names = columns.map(({ name }) => name);
  return (row) => {
    const valueOf = row as Readonly<Record<string, SqlValue | undefined>>;
    return { text, values: names.map((name) => valueOf[name] ?? null) };
  };
}

function prepareControl(dialect: Dialect, command: StoreCommand): PreparedControl {
  const { deleteTask, insertTask, updateInstance } = controlStatements(dialect, command);
  return {
    deleteTask: prepare(deleteTask),
    insertTask: insertTask === null ? null : prepare(insertTask),
    updateInstance: prepare(updateInstance),
  };
}
