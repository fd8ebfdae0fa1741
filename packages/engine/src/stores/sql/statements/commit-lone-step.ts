/**
 * The boundary of a run that is alone and writes one step: fence, write and read-back in one statement. No row: the lease is
 * lost and nothing was written.
 *
 * What a database does for each run of a statement goes by the number of its expressions, more than by the write itself: so nearly
 * all first writes have a text of their own, without the columns that they leave null.
 */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import type { StepWriteRow } from "./commit-steps.ts";
import { asked, insertSteps, orReplace, STEP_WRITE_COLUMNS } from "./commit-steps.ts";
import type { SingleStatement } from "./given-rows.ts";
import { LEASE_COLUMNS } from "./leased-rows.ts";

/** Null in the row of a `do` that has completed at its first attempt, as nearly all do. */
const RARE = [
  "waitEventType",
  "errorName",
  "errorMessage",
  "errorDetail",
  "failedAttempts",
  "nextRetryAt",
  "nextRetryInMs",
  "wakeAt",
  "wakeInMs",
] as const;

const RARE_NAMES: ReadonlySet<string> = new Set(RARE);
const PLAIN_COLUMNS = STEP_WRITE_COLUMNS.filter(({ name }) => !RARE_NAMES.has(name));

/** The row has none of the columns that `commitLoneStep.insertPlain` leaves out. */
export const isPlainStep = (row: StepWriteRow): boolean =>
  RARE.every((name) => row[name] === undefined);

const INSTANCE_ROW_ID = LEASE_COLUMNS.findIndex(({ name }) => name === "instanceRowId") + 1;

const loneStep = (
  columns: readonly JsonColumn[],
  otherwise: (dialect: Dialect) => string,
): SingleStatement => ({
  columns,
  text: (dialect) =>
    `${insertSteps(dialect, "single", { locks: true, columns })}${otherwise(dialect)} ` +
    `returning ${dialect.nowMs} as "now", ` +
    asked(dialect, `i."id" = ${dialect.param(INSTANCE_ROW_ID)}`),
});

/** `insert`: of a step that should have no row; `insertPlain`: the same of one that `isPlainStep`. */
export const commitLoneStep = {
  upsert: loneStep(STEP_WRITE_COLUMNS, orReplace),
  insert: loneStep(STEP_WRITE_COLUMNS, () => ""),
  insertPlain: loneStep(PLAIN_COLUMNS, () => ""),
} as const;
