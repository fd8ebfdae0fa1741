/** What a loop writes down. */
import type { EpochMs, JsonText } from "../model/records.ts";

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

/** As the row of a loop has it, in the column of results: the state's own text stands in it. */
export const toLoopResult = ({ iteration, at, since, after, state }: LoopPosition): JsonText =>
  `{"iteration":${iteration},"at":${at},"since":${since},"after":${after}${state === null ? "" : `,"state":${state}`}}`;

/** Reads what `toLoopResult` wrote, but for the state. @returns `at` and `since` 0 and `after` Infinity where a row of earlier code has none */
export function parseLoopPosition(result: JsonText): Omit<LoopPosition, "state"> {
  const position = JSON.parse(result) as Partial<LoopPosition> & { iteration: number };
  const { iteration, at = 0, since = 0, after = Infinity } = position;
  return { iteration, at, since, after };
}
