/** A run's history as replay reads it: by step key, and in the order in which steps were settled. */
import type { EpochMs, HistoryStep, SettledStep, StepRecord } from "../model/records.ts";

export interface History {
  /** For whoever goes on with the history: it may be written to. */
  readonly byKey: Map<string, HistoryStep>;
  /** Settled steps in the order in which they were settled. */
  readonly settled: readonly SettledStep[];
  /** Order for the next step that settles: above those of all rows, and of those that loops have removed. */
  readonly nextOrder: number;
  /** All but sleeps: those that count toward the limit. */
  readonly countedSteps: number;
  /** The instant of the newest of them; 0: there is none. */
  readonly newestAt: EpochMs;
}

/** @param settled in the order in which they were settled @param orderBefore of a loop: see `loops.ts` @default there is none */
export function createHistory(
  settled: readonly SettledStep[],
  open: readonly StepRecord[],
  orderBefore: (loop: HistoryStep) => number = () => 0,
): History {
  const byKey = new Map<string, HistoryStep>();
  let countedSteps = 0;
  let newestAt = 0;
  let lastOrder = settled.at(-1)?.settledOrder ?? 0;
  for (const steps of [settled, open]) {
    for (const step of steps) {
      byKey.set(step.stepKey, step);
      newestAt = Math.max(newestAt, step.updatedAt);
      if (step.type !== "sleep") countedSteps += 1;
      if (step.type === "loop") lastOrder = Math.max(lastOrder, orderBefore(step));
    }
  }
  return {
    byKey,
    settled,
    nextOrder: lastOrder + 1,
    countedSteps,
    newestAt,
  };
}

/** Whether a step has its final outcome. */
export const isSettled = (step: Pick<HistoryStep, "settledOrder">): step is SettledStep =>
  step.settledOrder !== null;
