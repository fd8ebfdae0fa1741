/** Counts what platforms bill, inside a window of the virtual clock. */

/** One function or process: so many of it alive at once. */
export interface Alive {
  /** Of all that were alive, added up. */
  readonly sumMs: number;
  /** While at least one was. */
  readonly busyMs: number;
  readonly peak: number;
}

export interface Tally {
  readonly counts: Readonly<Record<string, number>>;
  readonly alive: Readonly<Record<string, Alive>>;
  readonly samples: Readonly<Record<string, readonly number[]>>;
  /** How long a database is awake that suspends itself 5 minutes after the last query. */
  readonly databaseAwakeMs: number;
}

export interface Meter {
  count(what: string, amount?: number): void;
  sample(what: string, value: number): void;
  /** One more of it is alive. @returns ends it */
  enter(what: string): () => void;
  /** A query reaches the database. */
  touchDatabase(): void;
  /** Forgets everything but who is alive. */
  begin(): void;
  end(): Tally;
}

/** Neon's, which cannot be set lower. @source neon.com/docs/introduction/scale-to-zero, copy of 2026-08 */
const SUSPENDS_AFTER_MS = 300_000;

export function createMeter(now: () => number): Meter {
  let counts: Record<string, number> = {};
  let samples: Record<string, number[]> = {};
  let [awakeMs, touchedAt] = [0, now()];
  const gauges = new Map<string, Gauge>();
  const settleDatabase = (): void => {
    awakeMs += Math.min(now() - touchedAt, SUSPENDS_AFTER_MS);
    touchedAt = now();
  };
  return {
    count: (what, amount = 1) => void (counts[what] = (counts[what] ?? 0) + amount),
    sample: (what, value) => void (samples[what] ??= []).push(value),
    enter: (what) => {
      const gauge = gauges.get(what) ?? createGauge(now);
      gauges.set(what, gauge);
      gauge.move(1);
      return () => gauge.move(-1);
    },
    touchDatabase: settleDatabase,
    begin: () => {
      [counts, samples] = [{}, {}];
      settleDatabase();
      awakeMs = 0;
      for (const gauge of gauges.values()) gauge.begin();
    },
    end: () => {
      settleDatabase();
      const alive = Object.fromEntries([...gauges].map(([what, gauge]) => [what, gauge.end()]));
      return { counts, samples, alive, databaseAwakeMs: awakeMs };
    },
  };
}

interface Gauge {
  move(by: 1 | -1): void;
  begin(): void;
  end(): Alive;
}

function createGauge(now: () => number): Gauge {
  let [level, peak, sumMs, busyMs, since] = [0, 0, 0, 0, now()];
  const settle = (): void => {
    const passedMs = now() - since;
    sumMs += level * passedMs;
    busyMs += level > 0 ? passedMs : 0;
    since = now();
  };
  return {
    move: (by) => {
      settle();
      level += by;
      peak = Math.max(peak, level);
    },
    begin: () => {
      settle();
      [sumMs, busyMs, peak] = [0, 0, level];
    },
    end: () => {
      settle();
      return { sumMs, busyMs, peak };
    },
  };
}
