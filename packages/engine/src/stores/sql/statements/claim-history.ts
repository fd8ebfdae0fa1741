/** Reads steps and undelivered events of the runs that a token holds, up to the limits of a call. Parameter: token. */
import type { Dialect } from "@escapement/db/client";
import { STEP_PAGE_BYTES } from "../../../ports/run-pages.ts";
import { eventPage, eventPageOfOne } from "./event-page.ts";
import { expectOneRow } from "./planner-hints.ts";
import { historyBytes } from "./step-weight.ts";
import { EVENT, goOnAfter, historyColumns, sameRun, STEP, TASK, UNIQUE_STEP } from "./tables.ts";

const isHeldBy = (dialect: Dialect): string =>
  `t."lockOwner" = ${dialect.param(1)} and ${expectOneRow(`t."lockOwner"`)}`;

/** Selects the runs, and the bytes of their steps: from the task, or summed up. */
const heldRuns = (dialect: Dialect, bytes: string): string =>
  `select t."id" || '' as "taskId", t."workflowName", t."instanceId", t."runNumber", ` +
  `coalesce(t."historyBytes", ${historyBytes(dialect, "t")}) as "${bytes}" from ${TASK} as t where ${isHeldBy(dialect)}`;

/** The running sum of bytes. Runs that are too long for any claim are read separately, and do not count. */
const upTo = (fits: string): string =>
  `case when ${fits} then sum(case when ${fits} then w."bytes" else 0 end) ` +
  `over (order by w."taskId" rows unbounded preceding) else w."bytes" end as "upTo"`;

/**
 * Rows of `HistoryRow` in no order: all steps of a run, or one row that says that `loadSteps` has to read them.
 *
 * @param held select of the runs, each with `upTo`, the running sum of bytes
 * @param told the columns before them
 */
const stepsOf = (dialect: Dialect, held: string, told: readonly string[]): string =>
  `with held as materialized (${held}) ` +
  `select ${[...told, historyColumns(dialect)].join(", ")} ` +
  `from held as h ${dialect.joinEach(STEP, "s", sameRun("s", "h"), UNIQUE_STEP)} where h."upTo" <= ${STEP_PAGE_BYTES} ` +
  `union all select ${[...told, "null, null, null, null, null", goOnAfter(dialect, "0")].join(", ")} ` +
  `from held as h where h."upTo" > ${STEP_PAGE_BYTES}`;

/** With `taskId`, which is null in all rows if the claim has one run. */
export const claimSteps = (dialect: Dialect): string =>
  stepsOf(
    dialect,
    `select w.*, count(*) over () as "runs", ${upTo(`w."bytes" <= ${STEP_PAGE_BYTES}`)} ` +
      `from (${heldRuns(dialect, "bytes")}) as w`,
    [`case when h."runs" > 1 then h."taskId" end as "taskId"`],
  );

/** The same for a claim that can only have one run, because with a long history each column takes time. */
export const claimStepsOfOne = (dialect: Dialect): string =>
  stepsOf(dialect, heldRuns(dialect, "upTo"), []);

const heldEvents = (dialect: Dialect): string =>
  `${TASK} as t ${dialect.joinEach(EVENT, "e", `${sameRun("e", "t")} and e."deliveredAt" is null`)} ` +
  `where ${isHeldBy(dialect)}`;

/** Events that no step has consumed, a page per run, oldest first, with `taskId`. */
export const claimEvents = (dialect: Dialect): string => {
  const { item, isIn, columns } = eventPage(dialect, heldEvents(dialect), `t."id"`);
  return `select p."runId" as "taskId", ${columns} from ${item} where ${isIn} order by p."_internalId"`;
};

/** The same for a claim that can only have one run, without `taskId`. */
export const claimEventsOfOne = (dialect: Dialect): string => {
  const { item, isIn, columns } = eventPageOfOne(dialect, heldEvents(dialect));
  return `select ${columns} from ${item} where ${isIn} order by p."rank"`;
};
