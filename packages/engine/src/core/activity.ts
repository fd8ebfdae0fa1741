/** Figures about instances over time: buckets, spreads of durations, and the lateness of waits. Pure. */
import type { DurationMs, EpochMs, StepRecord } from "./model/records.ts";

/** The starts of `bucketCount` buckets, oldest first; the last bucket contains `now`. */
export function bucketsUpTo(
  now: EpochMs,
  { bucketMs, bucketCount }: { readonly bucketMs: DurationMs; readonly bucketCount: number },
): readonly EpochMs[] {
  const last = Math.floor(now / bucketMs);
  return Array.from(
    { length: bucketCount },
    (_, index) => (last - bucketCount + 1 + index) * bucketMs,
  );
}

/** A spread of durations, by the nearest rank; null: there are no durations. */
export function spreadOf(
  durations: readonly DurationMs[],
): Readonly<Record<"median" | "p95" | "longest", DurationMs>> | null {
  const sorted = durations.toSorted((a, b) => a - b);
  const at = (percent: number): DurationMs =>
    sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? 0;
  return sorted.length === 0 ? null : { median: at(50), p95: at(95), longest: at(100) };
}

/** Takes every n-th item, so that at most `most` remain. `most` is at least 1. */
export function sampleOf<T>(all: readonly T[], most: number): readonly T[] {
  const every = Math.max(1, Math.ceil(all.length / most));
  return all.filter((_, index) => (index + 1) % every === 0);
}

/**
 * How late a wait ended: the time since the instant at which a sleep was to end, or since its event arrived, or since the
 * call if the event was there before. null: not such a wait, not ended this way, or not late.
 */
export function latenessOf(
  step: Pick<StepRecord, "type" | "status" | "wakeAt" | "result" | "createdAt" | "updatedAt">,
): DurationMs | null {
  const { type, status, wakeAt, result, createdAt, updatedAt } = step;
  if (status !== "completed" || createdAt >= updatedAt) return null;
  const since = type === "sleep" ? wakeAt : type === "waitForEvent" ? arrivalOf(result) : null;
  return since === null ? null : Math.max(0, updatedAt - Math.max(since, createdAt));
}

/** The arrival of the event that ended a wait, as stored in the wait's result. */
function arrivalOf(result: string | null): EpochMs | null {
  const found = /","createdAt":([0-9]+)/.exec(result ?? "");
  return found === null ? null : Number(found[1]);
}
