/** A run's history as replay reads it: by step key, and in the order in which steps settled. */
import type { EpochMs, HistoryStep, SettledStep, StepRecord } from "../model/records.ts";

export interface History {
  /** Mutable: the session adds to it as the run continues. */
  readonly byKey: Map<string, HistoryStep>;
  /** Settled steps, in the order in which they settled. */
  readonly settled: readonly SettledStep[];
  /** The order number of the next step that settles, above those of all rows and of rows that loops have removed. */
  readonly nextOrder: number;
  /** How many steps count toward the limit: all but sleeps. */
  readonly countedSteps: number;
  /** The instant of the newest step; 0: there is none. */
  readonly newestAt: EpochMs;
  readonly hasLoops: boolean;
}

/** @param settled in the order in which they settled @param orderBefore from a loop: see `loops.ts` @default there is none */
export function createHistory(
  settled: readonly SettledStep[],
  open: readonly StepRecord[],
  orderBefore: (loop: HistoryStep) => number = () => 0,
): History {
  const byKey = new Map<string, HistoryStep>();
  let countedSteps = 0;
  let newestAt = 0;
  let hasLoops = false;
  let lastOrder = settled.at(-1)?.settledOrder ?? 0;
  for (const steps of [settled, open]) {
    for (const step of steps) {
      byKey.set(step.stepKey, step);
      if (step.updatedAt > newestAt) newestAt = step.updatedAt;
      if (step.type !== "sleep") countedSteps += 1;
      if (step.type !== "loop") continue;
      hasLoops = true;
      lastOrder = Math.max(lastOrder, orderBefore(step));
    }
  }
  return {
    byKey,
    settled,
    nextOrder: lastOrder + 1,
    countedSteps,
    newestAt,
    hasLoops,
  };
}

/** Whether a step has its final outcome. */
export const isSettled = (step: Pick<HistoryStep, "settledOrder">): step is SettledStep =>
  step.settledOrder !== null;
