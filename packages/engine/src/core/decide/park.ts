/** Decides when a parked run is due again. */
import type { RunOutcome, When } from "../model/change.ts";
import type { EpochMs } from "../model/records.ts";

/** 2200-01-01: the due time of a run that waits for an event without a deadline. */
export const NEVER_AT: EpochMs = 7_258_118_400_000;

/** When something is due; null: never by itself. */
export const unlessNever = (at: EpochMs | null): EpochMs | null =>
  at === null || at >= NEVER_AT ? null : at;

/** A wait that keeps a run parked. */
export interface OpenWait {
  readonly wake: When;
  readonly kind: "wake" | "retry";
}

/**
 * The earliest of the open waits. Absolute and relative instants cannot be compared before the commit knows the database's time,
 * so the earliest of each kind is given, and the store takes the earlier one.
 *
 * @param waits at least one
 */
export function decidePark(waits: readonly OpenWait[]): Extract<RunOutcome, { kind: "park" }> {
  let at: number | null = null;
  let inMs: number | null = null;
  for (const { wake } of waits) {
    if ("at" in wake) at = at === null ? wake.at : Math.min(at, wake.at);
    else inMs = inMs === null ? wake.inMs : Math.min(inMs, wake.inMs);
  }
  const isRetry = waits.every((wait) => wait.kind === "retry");
  return { kind: "park", taskKind: isRetry ? "retry" : "wake", at, inMs };
}
