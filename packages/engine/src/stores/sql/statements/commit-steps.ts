/**
 * Writes the steps of a commit: inserts rows, or replaces everything except `createdAt` and what never changes, if the write is
 * newer than the row. So a commit that comes late or twice undoes nothing.
 *
 * First writes have statements of their own, which only insert: looking for a row that does not exist would cost a sixth of the
 * statement and a tenth of its log. If a row exists after all, the batch is refused and nothing is written.
 */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import { COLUMN_NAMES, toColumn } from "../columns.ts";
import { PAUSE } from "../asked.ts";
import { columnOf, type StepColumn } from "../step-columns.ts";
import { endRequestNow } from "./deadline.ts";
import type { Giving, RowsStatement } from "./given-rows.ts";
import { LEASE_COLUMNS, leasedRow, leasedRows, runOfLease } from "./leased-rows.ts";
import { isInstanceKey } from "./instance-key.ts";
import { filter } from "./planner-hints.ts";
import { INSTANCE, STEP, UNIQUE_STEP } from "./tables.ts";

const ofType = (type: StepColumn["type"]): readonly string[] =>
  COLUMN_NAMES.step.filter((name) => columnOf(name).type === type);

const TEXTS = [...ofType("text"), "startedKeys"];
const NUMBERS = ofType("bigint");
const PAST = ofType("past");
const INSTANTS = ofType("instant").map((name) => name.slice(0, -"At".length));

const COLUMNS: readonly JsonColumn[] = [
  ...LEASE_COLUMNS,
  ...TEXTS.map((name) => ({ name, type: "text" }) as const),
  ...[
    ...NUMBERS,
    ...PAST,
    ...INSTANTS.flatMap((name) => [`${name}At`, `${name}InMs`]),
    "updatedAt",
  ].map((name) => ({ name, type: "bigint" }) as const),
];

/** What is known about the rows of a statement when it is compiled. */
export interface StepShape {
  /** The columns that the rows have. All others are null. */
  readonly columns: readonly JsonColumn[];
  /** Every row has an `updatedAt`. */
  readonly hasSettled: boolean;
  /** Some rows have `loops`, which have to be checked. Only after a fence, because only a later statement sees what was written meanwhile. */
  readonly isInLoops?: true;
}

export const ANY_STEP: StepShape = { columns: COLUMNS, hasSettled: false };

const IN_LOOPS: StepShape = {
  columns: [...COLUMNS, { name: "loops", type: "text" }],
  hasSettled: false,
  isInLoops: true,
};

/** Columns of a step, each with the expression over a row `alias` that fills it. */
function assignments(
  { fromMs, now, plusMs }: Dialect,
  alias: string,
  { columns, hasSettled }: StepShape,
): readonly (readonly [string, string])[] {
  const names = new Set(columns.map(({ name }) => name));
  const isGiven = (name: string): boolean => names.has(name);
  const value = (name: string): string => `${alias}."${name}"`;
  const settledAt = fromMs(value("updatedAt"));
  // The time at which a step settled, as its session gives it, or else the database's time.
  const stamp = hasSettled ? settledAt : `coalesce(${settledAt}, ${now})`;
  // The instant of a `When`: an instant, or a duration after the row's stamp.
  const instant = (name: string): string =>
    `coalesce(${fromMs(value(`${name}At`))}, ${plusMs(stamp, value(`${name}InMs`))})`;
  return [
    ...[...TEXTS, ...NUMBERS].filter(isGiven).map((name) => [toColumn(name), value(name)] as const),
    ...PAST.filter(isGiven).map((name) => [name, fromMs(value(name))] as const),
    ...INSTANTS.filter((name) => isGiven(`${name}At`)).map(
      (name) => [`${name}At`, instant(name)] as const,
    ),
    ...ofType("stamp").map((name) => [name, stamp] as const),
  ];
}

/** Columns that a step keeps from its first write to its last. */
const KEPT = new Set(COLUMN_NAMES.step.filter((name) => columnOf(name).isKept));

/** One upsert for all steps of all commits of the trip. A row whose version is not below the given one is left alone. */
export const commitSteps: RowsStatement = {
  columns: COLUMNS,
  text: (dialect, giving) =>
    `${insertSteps(dialect, giving, { locks: false })}${orReplace(dialect)}`,
};

/** The same for steps in loops: a row that such a loop may have removed since the commit was made is left alone, too. */
export const commitStepsInLoops: RowsStatement = {
  columns: IN_LOOPS.columns,
  text: (dialect, giving) =>
    `${insertSteps(dialect, giving, { locks: false, shape: IN_LOOPS })}${orReplace(dialect)}`,
};

/** The statement that replaces rows, and the one for first writes, for one kind of boundary. */
interface StepsStatements {
  readonly upsert: RowsStatement;
  readonly insert: RowsStatement;
}

type Otherwise = (dialect: Dialect) => string;

const rowsStatements = (
  text: (dialect: Dialect, giving: Giving, otherwise: Otherwise) => string,
): StepsStatements => ({
  upsert: {
    columns: COLUMNS,
    text: (dialect, giving) => text(dialect, giving, orReplace),
  },
  insert: {
    columns: COLUMNS,
    text: (dialect, giving) => text(dialect, giving, () => ""),
  },
});

/**
 * The same as the first statement of a trip, which takes the locks that the fence would take. Rows: the steps whose lease is held.
 */
export const commitHeldSteps: StepsStatements = rowsStatements(writeHeldSteps);

/** The same for runs that go on: reads what their runners have to know next, but no events. */
export const commitGoingSteps: StepsStatements = rowsStatements(
  (dialect, giving, otherwise) =>
    `${writeHeldSteps(dialect, giving, otherwise)}, ${asked(dialect, isInstanceKey(dialect, INSTANCE_OF_STEP))}`,
);

const INSTANCE_OF_STEP = {
  alias: "i",
  workflowName: `${STEP}."workflowName"`,
  instanceId: `${STEP}."instanceId"`,
};

/** Result column: the requests to the instance `i`, in the form of `Asked`, by one look at its row. */
export const asked = (dialect: Dialect, isInstance: string): string =>
  `(select case when i."pauseRequested" then '${PAUSE}' else '' end || coalesce(${endRequestNow(dialect, "i")}, '') ` +
  `from ${INSTANCE} as i where ${isInstance}) as "asked"`;

function writeHeldSteps(dialect: Dialect, giving: Giving, otherwise: Otherwise): string {
  const inserted = insertSteps(dialect, giving, { locks: true });
  return `${inserted}${otherwise(dialect)} returning "id", ${dialect.nowMs} as "now"`;
}

interface InsertOptions {
  /** The statement takes the locks of the tasks, because no earlier statement of the batch has. */
  readonly locks: boolean;
  /** @default the shape of any steps */
  readonly shape?: StepShape;
  /** FROM items: `c`, a single row, and `l`. @default the given rows, and the leases that are held */
  readonly from?: string;
}

export function insertSteps(
  dialect: Dialect,
  giving: Giving,
  { locks, shape = ANY_STEP, from }: InsertOptions,
): string {
  const { columns } = shape;
  const isSingle = giving === "single";
  const lock = locks ? dialect.forUpdate("t") : "";
  const held = isSingle
    ? leasedRow(dialect, columns, lock)
    : leasedRows(dialect, giving, { columns, lock: locks ? `order by c."taskId" ${lock}` : "" });
  const inserted = [
    ["workflowName", `l."leaseWorkflowName"`],
    ["instanceId", `l."leaseInstanceId"`],
    ["runNumber", `l."leaseRunNumber"`],
    ...assignments(dialect, isSingle ? "c" : "l", shape),
  ] as const;
  const condition =
    shape.isInLoops === true ? areLoopsAsKnown(dialect, isSingle ? "c" : "l") : "true";
  // `where true`: without it SQLite reads `on conflict` as a join condition.
  return (
    `insert into ${STEP} (${inserted.map(([name]) => `"${name}"`).join(", ")}) ` +
    `select ${inserted.map(([, expression]) => expression).join(", ")} from ${from ?? held} where ${condition}`
  );
}

/** Condition on a given row and the run of its lease `l`: none of its loops was written later than the row says. */
const areLoopsAsKnown = (dialect: Dialect, alias: string): string =>
  `not exists (select 1 from ${laterLoops(dialect, `${alias}."loops"`, runOfLease("s"))})`;

/** FROM items: the loops of a JSON array of `LoopWrite` that were written later than the array says. @param isOfRun condition on `s` */
export const laterLoops = (dialect: Dialect, loops: string, isOfRun: string): string =>
  `${dialect.jsonRows(loops, "o", LOOP_COLUMNS)} ` +
  dialect.joinEach(
    STEP,
    "s",
    `${isOfRun} and s."stepKey" = o."stepKey" and ${filter(`s."_version" > o."version"`)}`,
    UNIQUE_STEP,
  );

const LOOP_COLUMNS: readonly JsonColumn[] = [
  { name: "stepKey", type: "text" },
  { name: "version", type: "bigint" },
];

export function orReplace(dialect: Dialect): string {
  const replaced = assignments(dialect, "l", ANY_STEP)
    .map(([name]) => name)
    .filter((name) => !KEPT.has(name));
  return (
    ` on conflict ("workflowName", "instanceId", "runNumber", "stepKey") do update set ` +
    replaced.map((name) => `"${name}" = excluded."${name}"`).join(", ") +
    ` where ${STEP}."_version" < excluded."_version"`
  );
}
