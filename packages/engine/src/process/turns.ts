/**
 * Turns: a session waits for one so that author code goes as far as it can, however deep its awaits are.
 *
 * The first turn comes with the next round of the event loop, so that runs whose answers and bodies end in one round are
 * served together and commit together. Further turns do not need a round each: Node, Bun and Deno run a `nextTick` callback when
 * no microtask is left, so a replay of a thousand steps takes a thousand such callbacks in one round.
 */
import type { DurationMs } from "../core/model/records.ts";
import type { Host } from "../ports/host.ts";

/** After this time, timers and connections get their turn. */
const MAX_ROUND_MS: DurationMs = 20;

/** The most turns between two readings of the clock. A reading takes 0.1 µs, and a replay takes a turn for each step. */
const MAX_UNSEEN = 16;

// Node's own queueMicrotask costs twice as much.
const LATER = Promise.resolve();

const NOBODY: readonly (() => void)[] = [];

type Later = (callback: () => void) => void;

/** A runtime's ways to call back. */
export interface Callbacks {
  /** After a round of the event loop. */
  readonly later: Later;
  /** Calls back when no microtask is left, if called in one; null: the runtime cannot. */
  readonly tick: Later | null;
  readonly elapsedMs: () => DurationMs;
}

/** Creates a function that calls back once all microtasks, of any depth, have run. */
export function createTurns(own: Partial<Callbacks> = {}): Host["afterTurn"] {
  const {
    later = afterRound,
    tick = findTick(),
    elapsedMs = (): DurationMs => performance.now(),
  } = own;
  // In Workers, a callback is lost with the request that asked for it, and other requests must not wait for it.
  if (tick === null) return later;
  // Usually one session waits, and a new list for each turn would cost as much as the turn itself.
  let first: (() => void) | null = null;
  let others: (() => void)[] = [];
  let isServed = false;
  let startedMs = 0;
  let turns = 0;
  let checkAt = 0;
  const beginRound = (): void => {
    startedMs = elapsedMs();
    turns = checkAt = 0;
    serve();
  };
  /** Looks again before the round is over at the pace of its turns so far. */
  const isRoundOver = (): boolean => {
    turns += 1;
    if (turns < checkAt) return false;
    const roundMs = elapsedMs() - startedMs;
    checkAt = turns + Math.min(MAX_UNSEEN, (turns * (MAX_ROUND_MS - roundMs)) / roundMs);
    return roundMs > MAX_ROUND_MS;
  };
  const serveAgain = (): void => tick(serve);
  const serve = (): void => {
    const served = first;
    isServed = served !== null;
    if (served === null) return;
    first = null;
    // New requests go into another list. Adding to the list that is looped over would call them now and again later.
    const further = others.length === 0 ? NOBODY : others;
    if (further !== NOBODY) others = [];
    call(served);
    for (const callback of further) call(callback);
    if (isRoundOver()) later(beginRound);
    else void LATER.then(serveAgain);
  };
  return (callback) => {
    if (first === null) first = callback;
    else others.push(callback);
    if (isServed) return;
    isServed = true;
    later(beginRound);
  };
}

/** Calls a callback. If it throws, the runtime reports the error, and the others are still called. */
function call(callback: () => void): void {
  try {
    callback();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

interface Globals {
  readonly process?: { readonly nextTick?: Later };
  readonly setImmediate?: Later;
  readonly navigator?: { readonly userAgent?: string };
}

/** Calls back after a round of the event loop, in the runtime's cheapest way. */
export const afterRound: Later = (callback) => {
  // As functions and not as methods: workerd refuses the latter.
  const { setImmediate } = globalThis as Globals;
  if (setImmediate === undefined) setTimeout(callback, 0);
  else setImmediate(callback);
};

// In workerd a tick is a microtask like any other (2026-11). Bun 1.4 runs the first tick amid the microtasks if nobody has
// looked `nextTick` up before.
function findTick(): Later | null {
  const { process, navigator } = globalThis as Globals;
  return navigator?.userAgent === "Cloudflare-Workers" ? null : (process?.nextTick ?? null);
}
