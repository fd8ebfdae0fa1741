/** What bodies did, in a file that outlives their processes. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";

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

/** Appends one line at once: `O_APPEND` keeps lines of many processes whole and in order. */
export function appendEffect(path: string, effect: Effect): void {
  appendFileSync(path, `${JSON.stringify(effect)}\n`);
}

/** All effects so far, in order. */
export function readEffects(path: string): readonly Effect[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Effect);
}
