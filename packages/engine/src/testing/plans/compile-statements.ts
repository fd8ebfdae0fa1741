/** The statements of claims, commits, reads and changes from outside, by name. */
import type { Dialect, SqlValue } from "@escapement/db/client";
import { LIFECYCLE, type StoreCommand } from "../../core/decide/lifecycle.ts";
import { query, queryGiven, queryText } from "../../stores/sql/late-statements.ts";
import type { Query, RowsStatementRows, StatementRows } from "../../stores/sql/rows.ts";
import {
  compileRunStatements,
  type RunStatements,
  toStoreDialect,
} from "../../stores/sql/run-statements.ts";
import { guardLease, guardUnwritten } from "../../stores/sql/statements/commit-guards.ts";
import { commitRepeats } from "../../stores/sql/statements/commit-repeats.ts";
import { controlStatements } from "../../stores/sql/statements/control.ts";
import { insertInstances, insertTasks, selectCreated } from "../../stores/sql/statements/create.ts";
import type { RowsStatement } from "../../stores/sql/statements/given-rows.ts";
import { lastEvent, loadEvents } from "../../stores/sql/statements/load-events.ts";
import { loadInstance } from "../../stores/sql/statements/load-instance.ts";
import { loadReply } from "../../stores/sql/statements/load-reply.ts";
import { loadSteps } from "../../stores/sql/statements/load-steps.ts";
import { lockInstance, lockTask } from "../../stores/sql/statements/lock.ts";
import {
  findEvent,
  findEventById,
  insertEvent,
  wakeAndClaimTask,
  wakeTask,
} from "../../stores/sql/statements/send-event.ts";

type LateTextName =
  | "findEvent"
  | "findEventById"
  | "guardLease"
  | "guardUnwritten"
  | "insertEvent"
  | "lastEvent"
  | "loadEvents"
  | "loadInstance"
  | "loadReply"
  | "loadSteps"
  | "lockInstance"
  | "lockTask"
  | "wakeAndClaimTask"
  | "wakeTask";

type LateRowsName = "commitRepeats" | "insertInstances" | "insertTasks" | "selectCreated";

export type StatementName = keyof StatementRows | LateTextName;

/** Statements over rows of the caller. */
export type RowsStatementName = keyof RowsStatementRows | LateRowsName;

const LATE_ROWS: Readonly<Record<LateRowsName, RowsStatement>> = {
  commitRepeats,
  insertInstances,
  insertTasks,
  selectCreated,
};

const LATE_TEXTS: Readonly<Record<LateTextName, (dialect: Dialect) => string>> = {
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
  wakeAndClaimTask,
  wakeTask,
};

type OfValues = (...values: readonly SqlValue[]) => Query<never>;
type OfRows = (rows: readonly object[]) => Query<never>;
type ControlName = keyof ReturnType<typeof controlStatements>;

/** Statements that take their rows or values, by name. */
export type Statements = RunStatements & {
  readonly [TName in LateTextName]: OfValues;
} & { readonly [TName in LateRowsName]: OfRows } & {
  readonly control: Readonly<Record<StoreCommand, Readonly<Record<ControlName, OfValues | null>>>>;
};

/** @param notifies as in `toStoreDialect` */
export function compileStatements(own: Dialect, notifies: boolean = false): Statements {
  const dialect = toStoreDialect(own, notifies);
  const texts = Object.entries(LATE_TEXTS).map(([name, text]) => [
    name,
    (...values: readonly SqlValue[]) => query(dialect, text, ...values),
  ]);
  const overRows = Object.entries(LATE_ROWS).map(([name, statement]) => [
    name,
    (rows: readonly object[]) => queryGiven(dialect, statement, rows),
  ]);
  const control = Object.keys(LIFECYCLE).map((command) => [
    command,
    compileControl(dialect, command as StoreCommand),
  ]);
  return {
    ...compileRunStatements(dialect),
    ...Object.fromEntries([...texts, ...overRows]),
    control: Object.fromEntries(control),
  } as Statements;
}

const compileControl = (dialect: Dialect, command: StoreCommand): object =>
  Object.fromEntries(
    Object.entries({ ...controlStatements(dialect, command) }).map(
      ([name, text]: [string, string | null]) => [
        name,
        text && ((...values: readonly SqlValue[]) => queryText(text, ...values)),
      ],
    ),
  );
