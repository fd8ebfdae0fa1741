/**
 * Turns: what a session waits for so that author code goes as far as it can, whatever the depth of its awaits.
 *
 * The first one comes with the next round of the event loop, so that runs whose answers and bodies end in one round are
 * served together, and commit together. Turns that follow it need no round each: Node, Bun and Deno run a tick once no
 * microtask is left, and a replay of a thousand steps is a thousand ticks of one round.
 */
import type { DurationMs } from "../core/model/records.ts";
import type { Host } from "../ports/host.ts";

/** Timers and connections get their turn after so long. */
const MAX_ROUND_MS: DurationMs = 20;

// Node's own queueMicrotask costs twice as much.
const LATER = Promise.resolve();

const NOBODY: readonly (() => void)[] = [];

type Later = (callback: () => void) => void;

/** How a runtime calls back. */
export interface Callbacks {
  /** After a round of the event loop. */
  readonly later: Later;
  /** Once no microtask is left, if called in one; null: the runtime has no such thing. */
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
  // In Workers a callback dies with the request that asked for it, and others must not wait for it.
  if (tick === null) return later;
  // Mostly one session waits: a list that is made for each turn costs as much as the turn.
  let first: (() => void) | null = null;
  let others: (() => void)[] = [];
  let isServed = false;
  let startedMs = 0;
  const beginRound = (): void => {
    startedMs = elapsedMs();
    serve();
  };
  const serveAgain = (): void => tick(serve);
  const serve = (): void => {
    const served = first;
    isServed = served !== null;
    if (served === null) return;
    first = null;
    // What they ask for goes into another list: one that is looped over here would call it now, and again in its turn.
    const further = others.length === 0 ? NOBODY : others;
    if (further !== NOBODY) others = [];
    call(served);
    for (const callback of further) call(callback);
    if (elapsedMs() - startedMs > MAX_ROUND_MS) later(beginRound);
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

interface Globals {
  readonly process?: { readonly nextTick?: Later };
  readonly setImmediate?: Later;
  readonly navigator?: { readonly userAgent?: string };
}

/** Calls back after a round of the event loop, the runtime's cheapest way. */
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
