/** What is measured, and what must hold. */

export type StoreName = "postgres" | "embedded";

export interface Metric {
  /** Key in the JSON output; ends in the unit. */
  readonly name: string;
  readonly says: string;
  /** Whether a larger figure is better: then the ratio must be at least the target, else at most. */
  readonly isRate: boolean;
  /** Bound of ours / floor by store; absent: reported only. */
  readonly target: Readonly<Partial<Record<StoreName, number>>>;
}

const metric = (
  name: string,
  says: string,
  target: Metric["target"] = {},
  isRate = false,
): Metric => ({ name, says, isRate, target });

export const METRICS: readonly Metric[] = [
  metric("w1OneAtATimeMs", "W1 three steps, one at a time: create to last commit", {
    postgres: 1.7,
    embedded: 1.8,
  }),
  metric(
    "w1ThroughputPerSecond",
    "W1 three steps, 1000 at once: workflows per second",
    { postgres: 1.5, embedded: 1 },
    true,
  ),
  metric("w2StepMs", "W2 1000 steps in sequence: per step", { postgres: 1.7 }),
  metric("w2ResumeMs", "W2 event to code after 1000 replayed steps", {
    postgres: 2.5,
    embedded: 2.5,
  }),
  metric("w3EventMs", "W3 event to last commit", { postgres: 1.8 }),
  metric("w4OvershootMs", "W4 sleep of 1 s: overshoot"),
  metric("w5FanMs", "W5 50 steps in parallel: create to last commit", { postgres: 1 }),
];

/** Whether a ratio meets the store's target; null: there is none. */
export function meetsTarget(metric_: Metric, store: StoreName, ratio: number): boolean | null {
  const target = metric_.target[store];
  if (target === undefined) return null;
  return metric_.isRate ? ratio >= target : ratio <= target;
}
