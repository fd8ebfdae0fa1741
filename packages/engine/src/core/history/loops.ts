/** What the loops of a history have left behind: it is kept to be looked at, and replay does without it. Loaded with the first loop. */
import type { HistoryStep } from "../model/records.ts";
import { loopsOf } from "../step-key.ts";
import { iterationOf } from "../iteration-key.ts";
import { parseLoopPosition } from "./loop-position.ts";

/**
 * Finds out whether a step stands in an iteration that replay does not run again: its row is kept, or an earlier version of the
 * engine let a late commit bring it back.
 *
 * @param steps all of a run's history
 * @returns null: it has no loops, as most have none
 */
export function createBehindLoops(
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

/** The outcome that had been told when the iteration began which a loop goes on with: those before it may have no row any more. */
export function orderBefore({ result }: Pick<HistoryStep, "result">): number {
  if (result === null) return 0;
  const { after } = parseLoopPosition(result);
  return after === Infinity ? 0 : after;
}
