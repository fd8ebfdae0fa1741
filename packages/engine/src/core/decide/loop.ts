/** Which rows of its iterations a loop does without. */
import { iterationOf } from "../iteration-key.ts";

/** In iterations: how often a loop writes its position down, and how many of them it keeps the rows of. */
export interface LoopPolicy {
  /** ≥ 1. */
  readonly commitEvery: number;
  /** ≥ 1: how often rows are removed. */
  readonly trimEvery: number;
  /** ≥ 0. */
  readonly keep: number;
}

/** Whether something that is done every so many iterations is due now that so many are done. */
export const isDueAfter = (done: number, every: number): boolean => done % every === 0;

/**
 * The steps of a loop whose rows go.
 *
 * @param stepKeys of the run's steps that have a row, or will have one
 * @param keepFrom the first iteration that stays
 */
export function decideTrim(
  stepKeys: Iterable<string>,
  loopKey: string,
  keepFrom: number,
): readonly string[] {
  const trimmed: string[] = [];
  if (keepFrom <= 0) return trimmed;
  for (const stepKey of stepKeys) {
    const iteration = iterationOf(stepKey, loopKey);
    if (iteration !== null && iteration < keepFrom) trimmed.push(stepKey);
  }
  return trimmed;
}
