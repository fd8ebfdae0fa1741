/** What many sleeps come to. */

/** Percentiles of lateness in milliseconds. */
export interface Lateness {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
}

export function toLateness(values: readonly number[]): Lateness {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    Math.round(
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN,
    );
  return { p50Ms: at(0.5), p95Ms: at(0.95), maxMs: at(1) };
}
