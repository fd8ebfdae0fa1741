/** What a loop writes down, and which rows of its iterations it does without. */
import { decodeJson } from "../codec.ts";
import type { EpochMs, JsonText } from "../model/records.ts";
import { iterationOf } from "../step-key.ts";

/** Where a loop goes on. */
export interface LoopPosition {
  /** 0-based: the first iteration that has not been written down as done. */
  readonly iteration: number;
  /** The time that author code had been told when it began. */
  readonly at: EpochMs;
  /** `settledOrder` of the outcome that author code had been told last when it called the loop; 0: none. */
  readonly since: number;
  /** The same when the iteration began: all outcomes up to here are behind the position. */
  readonly after: number;
  /** What it begins with; null: undefined. */
  readonly state: JsonText | null;
}

/** In iterations: how often a loop writes its position down, and how many of them it keeps the rows of. */
export interface LoopPolicy {
  /** ≥ 1. */
  readonly commitEvery: number;
  /** ≥ 1: how often rows are removed. */
  readonly trimEvery: number;
  /** ≥ 0. */
  readonly keep: number;
}

/** As the row of a loop has it, in the column of results: the state's own text stands in it. */
export const toLoopResult = ({ iteration, at, since, after, state }: LoopPosition): JsonText =>
  `{"iteration":${iteration},"at":${at},"since":${since},"after":${after}${state === null ? "" : `,"state":${state}`}}`;

/** Reads what `toLoopResult` wrote. @returns `at` and `since` 0 and `after` Infinity where a row of earlier code has none */
export function parseLoopPosition(
  result: JsonText,
): Omit<LoopPosition, "state"> & { readonly state: unknown } {
  const position = decodeJson(result) as Partial<LoopPosition> & { iteration: number };
  const { iteration, at = 0, since = 0, after = Infinity, state } = position;
  return { iteration, at, since, after, state };
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
