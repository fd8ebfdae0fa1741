/** What bodies did, in a file that outlives their processes. */
import { appendLine, readLines } from "./line-log.ts";

/**
 * `start`, `end`: a body began or is about to return. `committed`: the store has told a runner that a step's result is
 * kept. `conflict`: the store has refused a commit of a runner.
 */
export interface Effect {
  readonly kind: "start" | "end" | "committed" | "conflict";
  readonly instanceId: string;
  /** null on `conflict`. */
  readonly stepKey: string | null;
  /** 0 when it does not apply. */
  readonly attempt: number;
  readonly pid: number;
}

export const appendEffect = (path: string, effect: Effect): void => appendLine(path, effect);

/** All effects so far, in order. */
export const readEffects = (path: string): readonly Effect[] =>
  readLines(path) as readonly Effect[];
