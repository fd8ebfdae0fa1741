/** Instances over time, in buckets: which there are, and what those have that nothing is known of. Pure. */
import type { DurationMs, EpochMs, StepRecord } from "./model/records.ts";

/** The first instants of so many buckets, of which the last has `now`, oldest first. */
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

/** Durations in a few figures, by the nearest rank; null: there are none. */
export function spreadOf(
  durations: readonly DurationMs[],
): Readonly<Record<"median" | "p95" | "longest", DurationMs>> | null {
  const sorted = durations.toSorted((a, b) => a - b);
  const at = (percent: number): DurationMs =>
    sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? 0;
  return sorted.length === 0 ? null : { median: at(50), p95: at(95), longest: at(100) };
}

/** Every n-th, so that they are no more than so many, from 1. */
export function sampleOf<T>(all: readonly T[], most: number): readonly T[] {
  const every = Math.max(1, Math.ceil(all.length / most));
  return all.filter((_, index) => (index + 1) % every === 0);
}

/**
 * How long after its reason a wait went on: the instant that a sleep was to end, or the arrival of its event, or of the call
 * where the event was there before. null: it is no such wait, has not ended so, or did not have to wait.
 */
export function latenessOf(
  step: Pick<StepRecord, "type" | "status" | "wakeAt" | "result" | "createdAt" | "updatedAt">,
): DurationMs | null {
  const { type, status, wakeAt, result, createdAt, updatedAt } = step;
  if (status !== "completed" || createdAt >= updatedAt) return null;
  const since = type === "sleep" ? wakeAt : type === "waitForEvent" ? arrivalOf(result) : null;
  return since === null ? null : Math.max(0, updatedAt - Math.max(since, createdAt));
}

/** Of the event that a wait has kept. */
function arrivalOf(result: string | null): EpochMs | null {
  const found = /","createdAt":([0-9]+)/.exec(result ?? "");
  return found === null ? null : Number(found[1]);
}
