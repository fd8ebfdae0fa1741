/** Reads steps for a replay, and pages of them. */
import { splitHistory } from "../../core/history/split-history.ts";
import type { HistoryStep, SettledStep } from "../../core/model/records.ts";
import type { StepPage } from "../../ports/run-pages.ts";
import { toError } from "./records.ts";
import { toStepRecord } from "./step-columns.ts";
import type { HistoryRow, PackedHistoryRow } from "./rows.ts";
import {
  type PageEnd,
  type ReplayRow,
  type RestOfRow,
  type UnpackedRow,
  unpackHistory,
} from "./packed-history.ts";

const toPlainStep = ({
  stepKey,
  settledOrder,
  updatedAt,
  result,
  startedKeys,
}: ReplayRow): SettledStep => ({
  stepKey,
  type: "do",
  status: "completed",
  attempts: 1,
  result,
  error: null,
  settledOrder: settledOrder ?? 0,
  updatedAt,
  startedKeys,
});

function toHistoryStep(
  { stepKey, settledOrder, updatedAt, result, startedKeys }: ReplayRow,
  row: RestOfRow,
): HistoryStep {
  const { type, status, attempts } = row;
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
export function toRunSteps(
  rows: readonly (HistoryRow | PackedHistoryRow)[],
): Omit<StepPage, "now"> {
  const shown: HistoryStep[] = [];
  let stepsAfter: number | null = null;
  for (const row of rows.flatMap<HistoryRow | UnpackedRow>(unpack)) {
    const { rest } = row;
    const read = typeof rest === "string" ? (JSON.parse(rest) as RestOfRow | PageEnd) : rest;
    if (read === null) shown.push(toPlainStep(row));
    else if ("goOnAfter" in read) stepsAfter = read.goOnAfter;
    else shown.push(toHistoryStep(row, read));
  }
  return { ...splitHistory(shown), stepsAfter };
}

const unpack = (row: HistoryRow | PackedHistoryRow): HistoryRow | readonly UnpackedRow[] =>
  "stepKeys" in row ? unpackHistory(row) : row;
