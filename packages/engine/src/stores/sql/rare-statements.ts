/** The statements that most ticks never send: those of calls from outside, of reads of single rows, of commits that are repeated, and of writes to other tables. */
import type { Dialect } from "@escapement/db/client";
import type { StoreCommand } from "../../core/decide/lifecycle.ts";
import type { SqlContext } from "./apply-batch.ts";
import type { InstanceRow } from "./rows.ts";
import {
  prepare,
  prepareAll,
  type Prepared,
  type PreparedSet,
  type RareRowsName,
  type RareTextName,
  type RunStatements,
} from "./run-statements.ts";
import { guardLease, guardUnwritten } from "./statements/commit-guards.ts";
import { commitRepeats } from "./statements/commit-repeats.ts";
import { controlStatements, type Replacing } from "./statements/control.ts";
import { insertInstances, insertTasks, selectCreated } from "./statements/create.ts";
import type { RowsStatement } from "./statements/given-rows.ts";
import { lastEvent, loadEvents } from "./statements/load-events.ts";
import { loadInstance } from "./statements/load-instance.ts";
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

const ROWS_STATEMENTS: Readonly<Record<RareRowsName, RowsStatement>> = {
  commitRepeats,
  insertInstances,
  insertTasks,
  selectCreated,
};

const TEXTS: Readonly<Record<RareTextName, (dialect: Dialect) => string>> = {
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

/** The statements of one lifecycle command. */
export interface PreparedControl {
  readonly deleteTask: Prepared<never>;
  readonly insertTask: Prepared<never> | null;
  readonly updateInstance: Prepared<InstanceRow>;
}

/** These statements. */
export interface RareStatements extends PreparedSet<RareTextName, RareRowsName> {
  readonly control: Readonly<Record<StoreCommand, PreparedControl>>;
}

/** All statements of one store. */
export interface StatementSet extends RunStatements, RareStatements {}

/** The parts of the store for the verbs that need more than a tick. */
export interface RareContext extends SqlContext {
  readonly statements: StatementSet;
}

const compiled = new WeakMap<RunStatements, StatementSet>();

/** Adds these statements to a context. They are compiled once per store. */
export function toRareContext(context: SqlContext): RareContext {
  const { statements: own, dialect } = context;
  const statements = compiled.get(own) ?? { ...own, ...compileRareStatements(dialect) };
  compiled.set(own, statements);
  return { ...context, statements };
}

/** Compiles them. @param dialect see `toStoreDialect` */
export const compileRareStatements = (dialect: Dialect): RareStatements => ({
  ...prepareAll<RareTextName, RareRowsName>(dialect, TEXTS, ROWS_STATEMENTS),
  control: {
    pause: prepareControl(dialect, "pause"),
    resume: prepareControl(dialect, "resume"),
    cancel: prepareControl(dialect, "cancel"),
    terminate: prepareControl(dialect, "terminate"),
    rollback: prepareControl(dialect, "rollback"),
    restart: prepareControl(dialect, "restart"),
    restartWithNewKeys: prepareControl(dialect, "restartWithNewKeys"),
    retry: prepareControl(dialect, "retry"),
  },
});

/** Compiles those of a command. @param replacing as in `controlStatements` */
export function prepareControl(
  dialect: Dialect,
  command: StoreCommand,
  replacing?: Replacing,
): PreparedControl {
  const { deleteTask, insertTask, updateInstance } = controlStatements(dialect, command, replacing);
  return {
    deleteTask: prepare(deleteTask),
    insertTask: insertTask === null ? null : prepare(insertTask),
    updateInstance: prepare(updateInstance),
  };
}
