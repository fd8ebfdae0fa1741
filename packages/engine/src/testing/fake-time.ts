/** A clock that moves only when told, and its timers. */
import { untilLoaded } from "../core/late.ts";
import type { EpochMs } from "../core/model/records.ts";
import { afterRound, createTurns } from "../process/turns.ts";
import { createWebHost } from "../process/web-host.ts";
import type { Host } from "../ports/host.ts";

interface FakeTimer {
  readonly at: EpochMs;
  readonly callback: () => void;
}

/** Timers and clocks that only the test moves. */
export interface FakeTime {
  readonly host: Host;
  now(): EpochMs;
  /**
   * Lets code run, then moves time on, firing timers in order, each at its own instant, letting code run after each. Time stands
   * still while the engine loads code of its own.
   */
  advance(ms: number): Promise<void>;
}

/** 2026-01-01T00:00:00Z: a round start that reads well in failures. */
export const FAKE_START: EpochMs = 1_767_225_600_000;

/** Starts a fake clock, for the time of a memory store and the timers of a runner. */
export function createFakeTime(startAt: EpochMs = FAKE_START): FakeTime {
  let now = startAt;
  const timers = new Set<FakeTimer>();
  const nextDue = (until: EpochMs): FakeTimer | null => {
    const due = [...timers].filter((timer) => timer.at <= until).toSorted((a, b) => a.at - b.at);
    return due[0] ?? null;
  };
  let turns = 0;
  // A burst of turns ends after a number of them, and not after a time, which would differ from run to run.
  const afterTurn = createTurns({ elapsedMs: () => turns / 100 });
  const host = createWebHost({
    afterTurn: (callback) => {
      turns += 1;
      afterTurn(callback);
    },
    now: () => now,
    setTimer: (delayMs, callback) => {
      const timer: FakeTimer = { at: now + Math.max(0, delayMs), callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    random: () => 0.5,
  });
  // After a timer, it may take many rounds of the event loop, and code that has yet to load, before the next timer is set.
  const settle = async (): Promise<void> => {
    for (let [seen, hasLoaded] = [-1, false]; seen !== turns || hasLoaded;) {
      seen = turns;
      for (let round = 0; round < 3; round += 1) await new Promise<void>(afterRound);
      hasLoaded = await untilLoaded();
    }
  };
  return {
    host,
    now: () => now,
    advance: async (ms) => {
      await settle();
      const until = now + ms;
      for (let timer = nextDue(until); timer !== null; timer = nextDue(until)) {
        timers.delete(timer);
        now = Math.max(now, timer.at);
        timer.callback();
        await settle();
      }
      now = until;
      await settle();
    },
  };
}
