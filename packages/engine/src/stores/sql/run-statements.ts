/** The statements of claims, commits and reads, compiled once per dialect, so that no call builds SQL and servers can cache plans by text. */
import type { Dialect, JsonColumn, SqlValue, Statement } from "@escapement/db/client";
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
import { commitInstances } from "./statements/commit-instances.ts";
import { commitLeases } from "./statements/commit-leases.ts";
import { commitReplies } from "./statements/commit-replies.ts";
import { commitSchedule } from "./statements/commit-schedule.ts";
import { commitLoneStep, isPlainStep } from "./statements/commit-lone-step.ts";
import {
  commitGoingSteps,
  commitHeldSteps,
  commitSteps,
  commitStepsInLoops,
} from "./statements/commit-steps.ts";
import { commitTrimmedEvents, commitTrims } from "./statements/commit-trims.ts";
import type { HeldStepRow, Query, RowsStatementRows, StatementRows } from "./rows.ts";
import type { RowsStatement, SingleStatement } from "./statements/given-rows.ts";
import { selectNow } from "./statements/load-instance.ts";

/** A statement that takes rows. A single row is given by its values, several as a JSON array. */
export type PreparedRows<TRow> = (rows: readonly object[]) => Query<TRow>;

type TextName = keyof StatementRows;
type RowsName = keyof RowsStatementRows;

const ROWS_STATEMENTS: Readonly<Record<RowsName, RowsStatement>> = {
  commitEnded,
  commitEvents,
  commitFence,
  commitFenceOnly,
  commitGoingSteps: commitGoingSteps.upsert,
  commitHeldSteps: commitHeldSteps.upsert,
  commitInstances,
  commitLeases,
  commitPaused,
  commitReplies,
  commitSchedule,
  commitSteps,
  commitStepsInLoops,
  commitTrimmedEvents,
  commitTrims,
  commitNewGoingSteps: commitGoingSteps.insert,
  commitNewHeldSteps: commitHeldSteps.insert,
};

const TEXTS: Readonly<Record<TextName, (dialect: Dialect) => string>> = {
  claimEvents,
  claimEventsOfOne,
  claimInstances,
  claimNext,
  claimSteps,
  claimStepsOfOne,
  claimTasks,
  endFormerLeases,
  findDue,
  selectNow,
};

type PreparedLoneStep = (row: StepWriteRow) => Query<Omit<HeldStepRow, "id">>;

/** What a store's ticks need. Other statements are compiled on first use: see `late-statements.ts`. */
export type RunStatements = {
  readonly [TName in TextName]: (...values: readonly SqlValue[]) => Query<StatementRows[TName]>;
} & { readonly [TName in RowsName]: PreparedRows<RowsStatementRows[TName]> } & {
  readonly [TName in "commitLoneStep" | "commitNewLoneStep"]: PreparedLoneStep;
};

/** The dialect for which a store's statements are compiled. @param notifies tell listeners about due work, if the database can */
export const toStoreDialect = (dialect: Dialect, notifies: boolean): Dialect => ({
  ...dialect,
  notify: notifies ? dialect.notify : null,
});

/** Compiles them. @param dialect see `toStoreDialect` */
export function compileRunStatements(dialect: Dialect): RunStatements {
  const texts = Object.entries(TEXTS).map(([name, toText]) => {
    const text = toText(dialect);
    return [name, (...values: readonly SqlValue[]): Statement => ({ text, values })] as const;
  });
  const overRows = Object.entries(ROWS_STATEMENTS).map(
    ([name, statement]) => [name, prepareRows(dialect, statement)] as const,
  );
  return {
    ...Object.fromEntries<unknown>([...texts, ...overRows]),
    commitLoneStep: prepareLoneStep(dialect, commitLoneStep.upsert),
    commitNewLoneStep: prepareNewLoneStep(dialect),
  } as RunStatements;
}

const prepareLoneStep = (dialect: Dialect, { columns, text }: SingleStatement): PreparedLoneStep =>
  prepareSingle(columns, text(dialect));

function prepareNewLoneStep(dialect: Dialect): PreparedLoneStep {
  const whole = prepareLoneStep(dialect, commitLoneStep.insert);
  const plain = prepareLoneStep(dialect, commitLoneStep.insertPlain);
  return (row) => (isPlainStep(row) ? plain(row) : whole(row));
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
