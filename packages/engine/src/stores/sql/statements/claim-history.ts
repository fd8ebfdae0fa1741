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

const FITS = `"upTo" <= ${STEP_PAGE_BYTES}`;

/** The row that says that `loadSteps` has to read a run's steps. */
const readLater = (dialect: Dialect): string =>
  `null, null, null, null, ${goOnAfter(dialect, "0")} from held as h where not (h.${FITS})`;

/** Rows of `HistoryRow` in no order: all steps of each run, or `readLater`. With `taskId`, which is null in all rows if the claim has one run. */
export function claimSteps(dialect: Dialect): string {
  const taskId = `case when h."runs" > 1 then h."taskId" end as "taskId"`;
  return (
    `with held as materialized (` +
    `select w.*, count(*) over () as "runs", ${upTo(`w."bytes" <= ${STEP_PAGE_BYTES}`)} ` +
    `from (${heldRuns(dialect, "bytes")}) as w) ` +
    `select ${taskId}, ${historyColumns(dialect)} ` +
    `from held as h ${dialect.joinEach(STEP, "s", sameRun("s", "h"), UNIQUE_STEP)} where h.${FITS} ` +
    `union all select ${taskId}, ${readLater(dialect)}`
  );
}

/**
 * The same for a claim that can only have one run, without `taskId`, because with a long history each column takes time. A join
 * would take a fifth of the time again: it passes on each step.
 */
export function claimStepsOfOne(dialect: Dialect): string {
  const ofRun = (column: string): string =>
    `s."${column}" = (select h."${column}" from held as h where h.${FITS})`;
  return (
    `with held as materialized (${heldRuns(dialect, "upTo")}) select ${historyColumns(dialect)} ` +
    `from ${STEP} as s where ${["workflowName", "instanceId", "runNumber"].map(ofRun).join(" and ")} ` +
    `union all select ${readLater(dialect)}`
  );
}

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
