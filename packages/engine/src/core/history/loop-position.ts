/** The position that a loop stores. */
import type { EpochMs, JsonText } from "../model/records.ts";

/** Where a loop continues. */
export interface LoopPosition {
  /** 0-based: the first iteration that is not stored as done. */
  readonly iteration: number;
  /** `step.now` when the iteration began. */
  readonly at: EpochMs;
  /** `settledOrder` of the last outcome that author code had been given when it called the loop; 0: none. */
  readonly since: number;
  /** The same when the iteration began. All outcomes up to here are behind the position. */
  readonly after: number;
  /** The state that the iteration begins with; null: undefined. */
  readonly state: JsonText | null;
}

/** The text for the `result` column of a loop's row. It contains the state's own text. */
export const toLoopResult = ({ iteration, at, since, after, state }: LoopPosition): JsonText =>
  `{"iteration":${iteration},"at":${at},"since":${since},"after":${after}${state === null ? "" : `,"state":${state}`}}`;

/**
 * Reads what `toLoopResult` wrote, except the state. @returns for a row of an earlier version, missing values are `at` and `since`
 * 0 and `after` Infinity
 */
export function parseLoopPosition(result: JsonText): Omit<LoopPosition, "state"> {
  const position = JSON.parse(result) as Partial<LoopPosition> & { iteration: number };
  const { iteration, at = 0, since = 0, after = Infinity } = position;
  return { iteration, at, since, after };
}
