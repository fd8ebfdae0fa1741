/** Steps that the loops of a history have left behind. They are kept for readers; replay does not need them. Loaded with the first loop. */
import type { HistoryStep } from "../model/records.ts";
import { loopsOf } from "../step-key.ts";
import { iterationOf } from "../iteration-key.ts";
import { parseLoopPosition } from "./loop-position.ts";

/**
 * Creates a test for steps in an iteration that replay does not run again. Such a row is there because it is kept, or because in an
 * earlier version of the engine a late commit brought it back.
 *
 * @param steps the whole history of a run
 * @returns null: it has no loops, as most have none
 */
export function createIsBehindLoop(
  steps: readonly (readonly HistoryStep[])[],
): ((stepKey: string) => boolean) | null {
  const positions = new Map<string, number>();
  for (const part of steps)
    for (const { type, stepKey, result } of part)
      if (type === "loop" && result !== null)
        positions.set(stepKey, parseLoopPosition(result).iteration);
  if (positions.size === 0) return null;
  return (stepKey) => {
    for (const loopKey of loopsOf(stepKey))
      if ((iterationOf(stepKey, loopKey) ?? 0) < (positions.get(loopKey) ?? 0)) return true;
    return false;
  };
}

/** The last outcome that had been given when a loop's next iteration began. Those before it may have no row any more. */
export function orderBefore({ result }: Pick<HistoryStep, "result">): number {
  if (result === null) return 0;
  const { after } = parseLoopPosition(result);
  return after === Infinity ? 0 : after;
}
