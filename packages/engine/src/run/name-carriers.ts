/** Finds the rows that carry the names of steps that are about to start. */
import { isSettled } from "../core/history/history.ts";
import type { StepWrite } from "../core/model/change.ts";
import { outlives } from "../core/step-key.ts";

/** Names are stored on rows of settled steps, because such a row is not written again. */
export const isCarrier = (step: StepWrite, stepKey: string): boolean =>
  isSettled(step) && outlives(step.stepKey, stepKey);

/** Groups steps that are about to start by the first step whose row can carry their names. */
export function groupByCarrier(
  steps: readonly StepWrite[],
  startedKeys: readonly string[],
): ReadonlyMap<StepWrite | undefined, readonly string[]> {
  const names = new Map<StepWrite | undefined, string[]>();
  for (const stepKey of startedKeys) {
    const carrier = steps.find((step) => isCarrier(step, stepKey));
    names.set(carrier, [...(names.get(carrier) ?? []), stepKey]);
  }
  return names;
}
