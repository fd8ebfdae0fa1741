/**
 * Turns of the event loop: what a session waits for so that author code goes as far as it can.
 *
 * All that wait are served by one callback, so that runs whose turns fall together commit together. A replay of a thousand
 * steps asks for a thousand turns and says so: callbacks for them are queued ahead, and the runtime runs them one after
 * another, with all microtasks between two of them, without a round of its loop for each. Measured on Node 20.20 (2026-11):
 * 0.3 µs a turn instead of 1.4 to 3, and no collection of the young generation amid a replay, which the loop's rounds let in.
 */
import type { Host } from "../ports/host.ts";

/** Callbacks queued at once: a turn leads to another one mostly, and one for nothing costs less than a round of the loop. */
const MIN_BURST_TURNS = 4;
const MAX_BURST_TURNS = 1024;

/** Timers and connections get their turn after so long, in milliseconds, and one turn more. */
const MAX_BURST_MS = 20;

type Later = (callback: () => void) => void;

/** Creates a function that calls back once all microtasks, of any depth, have run. */
export function createTurns(
  later: Later = chooseLater(),
  elapsedMs: () => number = () => performance.now(),
): Host["afterTurn"] {
  let waiting: (() => void)[] = [];
  let ahead = 0;
  let queued = 0;
  let burstEndsAtMs = 0;
  const queue = (): void => {
    burstEndsAtMs = Number.POSITIVE_INFINITY;
    queued = Math.min(MAX_BURST_TURNS, Math.max(MIN_BURST_TURNS, 1 + ahead));
    for (let callbacks = queued; callbacks > 0; callbacks -= 1) later(serve);
  };
  const isBurstOver = (): boolean => {
    const nowMs = elapsedMs();
    if (burstEndsAtMs === Number.POSITIVE_INFINITY) burstEndsAtMs = nowMs + MAX_BURST_MS;
    return nowMs > burstEndsAtMs;
  };
  const serve = (): void => {
    queued -= 1;
    if (waiting.length === 0) return;
    // The last one serves whatever the time is: what asks for a turn then asks for a new burst.
    if (queued > 0 && isBurstOver()) return;
    const served = waiting;
    waiting = [];
    ahead = 0;
    for (const callback of served) call(callback);
  };
  return (callback, following = 0) => {
    waiting.push(callback);
    ahead = Math.max(ahead, following);
    if (queued === 0) queue();
  };
}

/** What one of them throws is the runtime's to report, and stops no other. */
function call(callback: () => void): void {
  try {
    callback();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** The runtime's cheapest way to come back after all microtasks; timers are the slowest. */
function chooseLater(): Later {
  const { setImmediate } = globalThis as { readonly setImmediate?: Later };
  if (typeof setImmediate === "function") return setImmediate;
  return (callback) => void setTimeout(callback, 0);
}
