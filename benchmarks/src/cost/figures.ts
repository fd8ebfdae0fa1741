/** What was counted, per workflow and as shares of the time: what `counts.json` keeps and bills are made from. */
import { toLateness } from "../lateness/percentiles.ts";
import type { Tally } from "./meter.ts";

/** One function or process. */
export interface AliveFigures {
  /** Time that all of it was alive, per workflow; of an idle application per hour. */
  readonly sumMs: number;
  /** While at least one was: of the time. */
  readonly busyShare: number;
  readonly mean: number;
  readonly peak: number;
}

export interface Figures {
  readonly windowMs: number;
  /** Mean of those created and those ended in the window; 0: the application was idle. */
  readonly workflows: number;
  /** Per workflow; of an idle application per hour. */
  readonly counts: Readonly<Record<string, number>>;
  readonly alive: Readonly<Record<string, AliveFigures>>;
  /** 95th percentiles, in milliseconds. */
  readonly p95Ms: Readonly<Record<string, number>>;
  /** Of the time, where a database suspends itself 5 minutes after the last query. */
  readonly databaseAwakeShare: number;
}

const HOUR_MS = 3_600_000;

export function toFigures(tally: Tally, windowMs: number): Figures {
  const { created = 0, ended = 0, ...counts } = tally.counts;
  const workflows = (created + ended) / 2;
  const units = workflows > 0 ? workflows : windowMs / HOUR_MS;
  return {
    windowMs,
    workflows,
    counts: mapValues(counts, (count) => round(count / units)),
    alive: mapValues(tally.alive, ({ sumMs, busyMs, peak }) => ({
      sumMs: round(sumMs / units),
      busyShare: round(busyMs / windowMs),
      mean: round(sumMs / windowMs),
      peak,
    })),
    p95Ms: mapValues(tally.samples, (values) => toLateness(values).p95Ms),
    databaseAwakeShare: round(tally.databaseAwakeMs / windowMs),
  };
}

const round = (value: number): number => Number(value.toPrecision(4));

const mapValues = <T, R>(
  record: Readonly<Record<string, T>>,
  map: (value: T) => R,
): Readonly<Record<string, R>> =>
  Object.fromEntries(
    Object.entries(record)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => [key, map(value)]),
  );
