/** Keys of the steps in the iterations of a loop. */
import { ITERATION_MARK } from "./step-key.ts";

/** The part of a path that stands for an iteration of a loop. @param iteration 0-based */
export const toIterationPart = (iteration: number): string => `~${iteration}`;

/** The iteration of a loop that a key is in; null: none of them. */
export function iterationOf(stepKey: string, loopKey: string): number | null {
  if (!stepKey.startsWith(ITERATION_MARK, loopKey.length) || !stepKey.startsWith(loopKey))
    return null;
  return Number.parseInt(stepKey.slice(loopKey.length + ITERATION_MARK.length), 10);
}
