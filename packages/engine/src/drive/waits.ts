/** Waits by the process's clock that can be ended early. */
import type { DurationMs, EpochMs } from "../core/model/records.ts";

export interface Wait {
  readonly over: Promise<void>;
  /** Ends it now. */
  readonly end: () => void;
}

export interface Waits {
  /** Until an instant of the process clock. */
  readonly until: (at: EpochMs) => Wait;
  readonly endAll: () => void;
}

/** Pauses; 0: until everything that is ready now has run. */
export const pause = (delayMs: DurationMs): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, delayMs));

export function createWaits(): Waits {
  const ends = new Set<() => void>();
  const until = (at: EpochMs): Wait => {
    let end = (): void => {};
    const over = new Promise<void>((resolve) => {
      end = () => {
        clearTimeout(timer);
        ends.delete(end);
        resolve();
      };
      const timer = setTimeout(() => end(), Math.max(0, at - Date.now()));
    });
    ends.add(end);
    return { over, end };
  };
  return { until, endAll: () => ends.forEach((end) => end()) };
}
