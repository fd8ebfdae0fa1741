/** A run's history as replay reads it: by step key, and in the order in which steps were settled. */
import type { StepRecord } from "../model/records.ts";

export interface History {
  readonly byKey: ReadonlyMap<string, StepRecord>;
  /** Settled steps in the order in which they were settled. */
  readonly settled: readonly StepRecord[];
  /** Order for the next step that settles. */
  readonly nextOrder: number;
  /** Steps that wait for time or an event. */
  readonly openWaitCount: number;
  /** `do` and `waitForEvent` steps: those that count toward the limit. */
  readonly countedSteps: number;
}

export function createHistory(steps: readonly StepRecord[]): History {
  const settled = steps
    .filter((step) => step.settledOrder !== null)
    .toSorted((a, b) => (a.settledOrder ?? 0) - (b.settledOrder ?? 0));
  return {
    byKey: new Map(steps.map((step) => [step.stepKey, step])),
    settled,
    nextOrder: (settled.at(-1)?.settledOrder ?? 0) + 1,
    openWaitCount: steps.filter((step) => step.status === "waiting").length,
    countedSteps: steps.filter((step) => step.type !== "sleep").length,
  };
}
