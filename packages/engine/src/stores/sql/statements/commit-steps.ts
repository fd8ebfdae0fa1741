/**
 * Writes the steps of a commit: inserts, or replaces all but `createdAt` and what never changes, where the write is newer
 * than the row. So a commit that comes late or twice undoes nothing.
 *
 * First writes have statements of their own, which only insert: looking for a row that is not there costs a step a sixth of
 * its statement and a tenth of its log. Where a row is there after all, the batch is refused and nothing of it is written.
 */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import type { JsonText } from "../../../core/model/records.ts";
import { COLUMN_NAMES, STEP_COLUMNS, type StepColumn, toColumn } from "../columns.ts";
import type { StepRow } from "../rows.ts";
import { PAUSE } from "../asked.ts";
import { endRequestNow } from "./deadline.ts";
import type { Giving, RowsStatement } from "./given-rows.ts";
import { LEASE_COLUMNS, leasedRow, type LeasedRow, leasedRows, runOfLease } from "./leased-rows.ts";
import { isInstanceKey } from "./instance-key.ts";
import { filter } from "./planner-hints.ts";
import { INSTANCE, STEP, UNIQUE_STEP } from "./tables.ts";

/** Members that may be null, left out where they are. */
type NullAsAbsent<T> = {
  readonly [K in keyof T as null extends T[K] ? never : K]: T[K];
} & { readonly [K in keyof T as null extends T[K] ? K : never]?: NonNullable<T[K]> | undefined };

type Stamp = "createdAt" | "updatedAt";
type Instant = "nextRetry" | "wake";

/** Absent keys and undefined are null. Of each instant either `…At` or `…InMs` (after the row's stamp) is given. */
export type StepWriteRow = LeasedRow &
  NullAsAbsent<Omit<StepRow, Stamp | `${Instant}At`>> & {
    readonly [K in `${Instant}At` | `${Instant}InMs`]?: number | undefined;
  } & {
    /** When a step that settles did. */
    readonly updatedAt?: number | undefined;
    /** JSON array. */
    readonly startedKeys?: JsonText | undefined;
    /** JSON array of `LoopWrite`. */
    readonly loops?: JsonText | undefined;
  };

const ofType = (type: StepColumn["type"]): readonly string[] =>
  COLUMN_NAMES.step.filter((name) => columnOf(name).type === type);

const columnOf = (name: string): StepColumn => STEP_COLUMNS[name as keyof StepRow];

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

/** What is known of the rows of a statement when its text is made. */
export interface StepShape {
  /** What is made of others is null. */
  readonly columns: readonly JsonColumn[];
  /** Each has an `updatedAt`. */
  readonly hasSettled: boolean;
  /** Some have `loops`, which are looked at. Only behind a fence: what was written meanwhile is seen by a later statement. */
  readonly isInLoops?: true;
}

export const ANY_STEP: StepShape = { columns: COLUMNS, hasSettled: false };

const IN_LOOPS: StepShape = {
  columns: [...COLUMNS, { name: "loops", type: "text" }],
  hasSettled: false,
  isInLoops: true,
};

/** Column of a step and the expression over a row `alias` that fills it. */
function assignments(
  { fromMs, now, plusMs }: Dialect,
  alias: string,
  { columns, hasSettled }: StepShape,
): readonly (readonly [string, string])[] {
  const names = new Set(columns.map(({ name }) => name));
  const isGiven = (name: string): boolean => names.has(name);
  const value = (name: string): string => `${alias}."${name}"`;
  const settledAt = fromMs(value("updatedAt"));
  // When a step settled, as its session tells it, or else the database's time.
  const stamp = hasSettled ? settledAt : `coalesce(${settledAt}, ${now})`;
  // The instant of a `When`: itself, or so long after the row's stamp.
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

/** What a step keeps from its first write to its last. */
const KEPT = new Set(COLUMN_NAMES.step.filter((name) => columnOf(name).isKept));

/** One upsert for all steps of all commits of the trip. A row of a version that is not below the given one is left alone. */
export const commitSteps: RowsStatement = {
  columns: COLUMNS,
  text: (dialect, giving) =>
    `${insertSteps(dialect, giving, { locks: false })}${orReplace(dialect)}`,
};

/** The same where steps stand in loops: a row that such a loop may have removed since the commit was made is left alone too. */
export const commitStepsInLoops: RowsStatement = {
  columns: IN_LOOPS.columns,
  text: (dialect, giving) =>
    `${insertSteps(dialect, giving, { locks: false, shape: IN_LOOPS })}${orReplace(dialect)}`,
};

/** Of a kind of boundary: the statement that replaces rows, and the one for first writes. */
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
 * The same as the first statement of a trip: takes the locks that the fence would take. Rows: those of the steps whose
 * lease is held.
 */
export const commitHeldSteps: StepsStatements = rowsStatements(writeHeldSteps);

/** The same where runs go on: reads what their runners must know next, but no events. */
export const commitGoingSteps: StepsStatements = rowsStatements(
  (dialect, giving, otherwise) =>
    `${writeHeldSteps(dialect, giving, otherwise)}, ${asked(dialect, isInstanceKey(dialect, INSTANCE_OF_STEP))}`,
);

const INSTANCE_OF_STEP = {
  alias: "i",
  workflowName: `${STEP}."workflowName"`,
  instanceId: `${STEP}."instanceId"`,
};

/** Result column: what is asked of the instance `i`, by one look at its row: `Asked` says how. */
export const asked = (dialect: Dialect, isInstance: string): string =>
  `(select case when i."pauseRequested" then '${PAUSE}' else '' end || coalesce(${endRequestNow(dialect, "i")}, '') ` +
  `from ${INSTANCE} as i where ${isInstance}) as "asked"`;

function writeHeldSteps(dialect: Dialect, giving: Giving, otherwise: Otherwise): string {
  const inserted = insertSteps(dialect, giving, { locks: true });
  return `${inserted}${otherwise(dialect)} returning "id", ${dialect.nowMs} as "now"`;
}

interface InsertOptions {
  /** Takes the locks of the tasks, which an earlier statement of the batch has not taken. */
  readonly locks: boolean;
  /** @default that of any steps */
  readonly shape?: StepShape;
  /** FROM items `c`, a single row, and `l`. @default the rows given, and the leases that are held */
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

/** Condition on a row given, and on the run of its lease `l`: none of its loops was written later than it says. */
const areLoopsAsKnown = (dialect: Dialect, alias: string): string =>
  `not exists (select 1 from ${laterLoops(dialect, `${alias}."loops"`, runOfLease("s"))})`;

/** FROM items: the loops of a JSON array of `LoopWrite` that were written later than it says. @param isOfRun condition on `s` */
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
