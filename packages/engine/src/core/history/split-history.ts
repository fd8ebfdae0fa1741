/** Splits the steps of a run into settled and open ones. */
import type { HistoryStep, SettledStep, StepRecord } from "../model/records.ts";
import { isSettled } from "./history.ts";

export interface SplitHistory {
  readonly settled: readonly SettledStep[];
  readonly open: readonly StepRecord[];
}

/** The steps of a run as a claim returns them: settled ones in order of settlement, open ones by (createdAt, id). */
export function splitHistory(steps: readonly HistoryStep[]): SplitHistory {
  const settled: SettledStep[] = [];
  const open: StepRecord[] = [];
  for (const step of steps) {
    if (isSettled(step)) settled.push(step);
    else open.push(step);
  }
  return { settled: settled.toSorted(bySettledOrder), open: open.toSorted(byCreation) };
}

const bySettledOrder = (a: SettledStep, b: SettledStep): number => a.settledOrder - b.settledOrder;

const byCreation = (a: StepRecord, b: StepRecord): number =>
  a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
