/** Steps as replay reads them, and the page that a call reads. */
import { splitHistory } from "../../core/history/history.ts";
import type { HistoryStep, JsonText } from "../../core/model/records.ts";
import type { ClaimedRun } from "../../ports/store.ts";
import { groupByTask, type OfTask, type StepRow, toError, toStepRecord } from "./records.ts";

/** What replay needs of a step. */
export interface HistoryRow {
  readonly stepKey: string;
  readonly settledOrder: number | null;
  readonly result: JsonText | null;
  readonly startedKeys: JsonText | null;
  /** The other columns of a `StepRow` as JSON text; null: a completed `do` step. */
  readonly rest: JsonText | null;
}

export function toHistoryStep({
  stepKey,
  settledOrder,
  result,
  startedKeys,
  rest,
}: HistoryRow): HistoryStep {
  const order = settledOrder ?? 0;
  if (rest === null) {
    return {
      stepKey,
      type: "do",
      status: "completed",
      attempts: 1,
      result,
      error: null,
      settledOrder: order,
      startedKeys,
    };
  }
  const row = JSON.parse(rest) as Omit<StepRow, "stepKey" | "settledOrder" | "result">;
  const { type, status, attempts } = row;
  return status === "completed" || status === "errored"
    ? {
        stepKey,
        type,
        status,
        attempts,
        result,
        error: toError(row),
        settledOrder: order,
        startedKeys,
      }
    : toStepRecord({ ...row, stepKey, settledOrder, result });
}

/** A row of `stepPage`. */
export interface PagedStepRow extends HistoryRow {
  /** null: the step is shown. Else the page has ended, and another goes on after this row. */
  readonly goOnAfter: number | null;
}

/** The same among those of all runs of a claim. */
export interface ClaimedStepRow extends PagedStepRow {
  /** null in all rows: the claim holds one run. */
  readonly taskId: string | null;
}

/** How the rows of a run are found among those of a claim. */
export function toStepsOf(
  rows: readonly ClaimedStepRow[],
): (taskId: string) => readonly PagedStepRow[] {
  if (rows[0]?.taskId === null) return () => rows;
  const groups = groupByTask(rows as readonly OfTask<PagedStepRow>[]);
  return (taskId) => groups.get(taskId) ?? [];
}

/** @param rows of one run, in no order */
export function toRunSteps(
  rows: readonly PagedStepRow[],
): Pick<ClaimedRun, "settled" | "open" | "stepsAfter"> {
  const shown: HistoryStep[] = [];
  let stepsAfter: number | null = null;
  for (const row of rows) {
    if (row.goOnAfter === null) shown.push(toHistoryStep(row));
    else stepsAfter = row.goOnAfter;
  }
  return { ...splitHistory(shown), stepsAfter };
}
