/** Figures as a month of them. */
import type { Figures } from "./figures.ts";
import { MONTH_MS } from "./workload.ts";

export const MONTH_HOURS: number = MONTH_MS / 3_600_000;

export interface Month {
  readonly workflows: number;
  /** Of all these counts together. */
  count(...names: readonly string[]): number;
  /** Time that all of them were alive, added up. What waits, waits however many workflows there are: it goes by the clock. */
  hours(...names: readonly string[]): number;
  /** Time that any of each was alive, added up over the names. */
  busyHours(...names: readonly string[]): number;
}

/** @param perMonth workflows; 0: the application is idle */
export function toMonth({ counts, alive }: Figures, perMonth: number): Month {
  const units = perMonth > 0 ? perMonth : MONTH_HOURS;
  const sum = (names: readonly string[], read: (name: string) => number): number =>
    names.reduce((total, name) => total + read(name), 0);
  return {
    workflows: perMonth,
    count: (...names) => units * sum(names, (name) => counts[name] ?? 0),
    hours: (...names) => MONTH_HOURS * sum(names, (name) => alive[name]?.mean ?? 0),
    busyHours: (...names) => MONTH_HOURS * sum(names, (name) => alive[name]?.busyShare ?? 0),
  };
}
