/** Instances over time, in buckets: which there are, and what those have that nothing is known of. Pure. */
import type { DurationMs, EpochMs } from "./model/records.ts";

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

/**
 * The value that so many of 100 do not exceed, by the nearest rank.
 *
 * @param sorted from the smallest; one at least
 */
export const percentileOf = (sorted: readonly number[], percent: number): number =>
  sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? 0;
