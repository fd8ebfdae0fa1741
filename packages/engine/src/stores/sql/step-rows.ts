/** Reads steps for a replay, and pages of them. */
import { splitHistory } from "../../core/history/split-history.ts";
import type { HistoryStep, SettledStep } from "../../core/model/records.ts";
import type { StepPage } from "../../ports/run-pages.ts";
import { toError } from "./records.ts";
import { toStepRecord } from "./step-columns.ts";
import type { HistoryRow, StepRow } from "./rows.ts";

const toPlainStep = ({
  stepKey,
  settledOrder,
  updatedAt,
  result,
  rest,
}: HistoryRow): SettledStep => ({
  stepKey,
  type: "do",
  status: "completed",
  attempts: 1,
  result,
  error: null,
  settledOrder: settledOrder ?? 0,
  updatedAt,
  startedKeys: rest,
});

interface PageEnd {
  readonly goOnAfter: number;
}

/** For a settled step, only the columns that are read here. */
type RestOfRow = Omit<StepRow, "stepKey" | "settledOrder" | "updatedAt" | "result"> &
  Pick<SettledStep, "startedKeys">;

function toHistoryStep(
  { stepKey, settledOrder, updatedAt, result }: HistoryRow,
  row: RestOfRow,
): HistoryStep {
  const { type, status, attempts, startedKeys } = row;
  return status === "completed" || status === "errored" || status === "cancelled"
    ? {
        stepKey,
        type,
        status,
        attempts,
        result,
        error: toError(row),
        settledOrder: settledOrder ?? 0,
        updatedAt,
        startedKeys,
      }
    : toStepRecord({ ...row, stepKey, settledOrder, updatedAt, result });
}

/** @param rows of one run, in no order */
export function toRunSteps(rows: readonly HistoryRow[]): Omit<StepPage, "now"> {
  const shown: HistoryStep[] = [];
  let stepsAfter: number | null = null;
  for (const row of rows) {
    const rest =
      row.rest === null || row.rest.startsWith("[")
        ? null
        : (JSON.parse(row.rest) as RestOfRow | PageEnd);
    if (rest === null) shown.push(toPlainStep(row));
    else if ("goOnAfter" in rest) stepsAfter = rest.goOnAfter;
    else shown.push(toHistoryStep(row, rest));
  }
  return { ...splitHistory(shown), stepsAfter };
}
