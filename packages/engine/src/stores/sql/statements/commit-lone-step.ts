/**
 * The boundary of a lone run that writes one step: fence, write and read-back in one statement. No row: the lease is lost and
 * nothing was written.
 *
 * The cost of a statement depends on the number of its expressions more than on the write itself. So nearly all first writes
 * have a statement of their own, with only the columns that such a row has.
 */
import type { Dialect } from "@escapement/db/client";
import { ANY_STEP, asked, insertSteps, orReplace, type StepShape } from "./commit-steps.ts";
import type { StepWriteRow } from "../step-columns.ts";
import type { SingleStatement } from "./given-rows.ts";
import { LEASE_COLUMNS } from "./leased-rows.ts";

/** Columns that are null for a `do` that completed at its first attempt, as nearly all do. */
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
export const PLAIN_STEP: StepShape = {
  columns: ANY_STEP.columns.filter(({ name }) => !RARE_NAMES.has(name)),
  hasSettled: true,
};

/** Whether a row only has the columns of `PLAIN_STEP`, so that `commitLoneStep.insertPlain` can write it. */
export const isPlainStep = (row: StepWriteRow): boolean =>
  row.updatedAt !== undefined && RARE.every((name) => row[name] === undefined);

const INSTANCE_ROW_ID = LEASE_COLUMNS.findIndex(({ name }) => name === "instanceRowId") + 1;

const loneStep = (shape: StepShape, otherwise: (dialect: Dialect) => string): SingleStatement => ({
  columns: shape.columns,
  text: (dialect) =>
    `${insertSteps(dialect, "single", { locks: true, shape })}${otherwise(dialect)} ` +
    `returning ${dialect.nowMs} as "now", ` +
    asked(dialect, `i."id" = ${dialect.param(INSTANCE_ROW_ID)}`),
});

/** `insert`: for a step that should have no row; `insertPlain`: the same for one that is `isPlainStep`. */
export const commitLoneStep: Readonly<
  Record<"upsert" | "insert" | "insertPlain", SingleStatement>
> = {
  upsert: loneStep(ANY_STEP, orReplace),
  insert: loneStep(ANY_STEP, () => ""),
  insertPlain: loneStep(PLAIN_STEP, () => ""),
};
