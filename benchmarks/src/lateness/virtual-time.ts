/**
 * A clock for this whole process that jumps from timer to timer: `Date.now`, `setTimeout` and `setInterval` are replaced,
 * so that the adapters' real code waits for minutes and days in no time. What is asynchronous but needs no timer, such as
 * signatures and the loading of code, still runs in real time, and the clock waits for it.
 */
import { untilLoaded } from "../../../packages/engine/src/core/late.ts";

export interface VirtualTime {
  now(): number;
  /** Calls back at an instant, or at once when that has passed. */
  at(instant: number, callback: () => void): void;
  /** Moves on from timer to timer until `isDone`. @throws {RangeError} when there is none, or after `limitMs` */
  runUntil(isDone: () => boolean, limitMs: number): Promise<void>;
  /** Forgets all timers, and moves on by `ms`. */
  reset(ms: number): void;
  /** Gives the process its own clock back. */
  restore(): void;
}

interface Timer {
  readonly at: number;
  readonly callback: () => void;
  /** null: once. */
  readonly everyMs: number | null;
}

/** Timers in the order in which they call back: by instant, and of one instant as they were set. */
class Timers {
  readonly #inOrder: (Timer & { readonly id: number })[] = [];
  #lastId = 0;

  get size(): number {
    return this.#inOrder.length;
  }

  get first(): Timer | undefined {
    return this.#inOrder[0];
  }

  /** @returns what `delete` takes */
  add(timer: Timer, id: number = (this.#lastId += 1)): number {
    this.#inOrder.splice(this.#placeAfter(timer.at), 0, { ...timer, id });
    return id;
  }

  delete(id: number): void {
    const index = this.#inOrder.findIndex((timer) => timer.id === id);
    if (index !== -1) this.#inOrder.splice(index, 1);
  }

  clear(): void {
    this.#inOrder.length = 0;
  }

  /** Calls the first back, which stays, later, if it repeats. */
  fire(): void {
    const timer = this.#inOrder.shift();
    if (timer === undefined) return;
    const { at, everyMs, id } = timer;
    if (everyMs !== null) this.add({ ...timer, at: at + everyMs }, id);
    timer.callback();
  }

  #placeAfter(at: number): number {
    let [low, high] = [0, this.#inOrder.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#inOrder[middle]?.at ?? Infinity) <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Turns of the event loop after which what a timer set off has set the next; more change no figure. */
const SETTLING_TURNS = 8;
const realTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Takes the process's clock and timers away until `restore`.
 *
 * @param inFlightElsewhere how much else is under way that needs no timer: the clock waits for it. @default nothing
 */
export function installVirtualTime(
  startAt: number,
  inFlightElsewhere: () => number = () => 0,
): VirtualTime {
  let now = startAt;
  const timers = new Timers();
  const inCrypto = watchCrypto();
  const inFlight = (): number => inCrypto() + inFlightElsewhere();
  const restore = replaceGlobals(timers, () => now);
  return {
    now: () => now,
    at: (instant, callback) =>
      void timers.add({ at: Math.max(now, instant), callback, everyMs: null }),
    async runUntil(isDone, limitMs) {
      const until = now + limitMs;
      for (;;) {
        await settle(inFlight);
        if (isDone()) return;
        const next = timers.first;
        if (next === undefined || next.at > until)
          throw new RangeError(
            `it never comes: ${String(next?.at)} of ${until}, ${timers.size} timers`,
          );
        now = Math.max(now, next.at);
        timers.fire();
      }
    },
    reset(ms) {
      timers.clear();
      now += ms;
    },
    restore,
  };
}

type Callback = (...given: readonly unknown[]) => void;

/** @returns what puts the real ones back */
function replaceGlobals(timers: Timers, now: () => number): () => void {
  const set =
    (isRepeated: boolean) =>
    (callback: Callback, delayMs = 0, ...given: unknown[]): object => {
      const waitMs = Math.max(isRepeated ? 1 : 0, delayMs);
      const everyMs = isRepeated ? waitMs : null;
      const id = timers.add({ at: now() + waitMs, callback: () => callback(...given), everyMs });
      return { [Symbol.toPrimitive]: () => id, unref: () => undefined, ref: () => undefined };
    };
  const clear = (handle: unknown): void => timers.delete(Number(handle));
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  const realNow = Date.now;
  Date.now = now;
  Object.assign(globalThis, {
    setTimeout: set(false),
    setInterval: set(true),
    clearTimeout: clear,
    clearInterval: clear,
  });
  return () => {
    Date.now = realNow;
    Object.assign(globalThis, { setTimeout, setInterval, clearTimeout, clearInterval });
  };
}

async function settle(inFlight: () => number): Promise<void> {
  for (let turn = 0; turn < SETTLING_TURNS; turn += 1) {
    await realTurn();
    // Code that comes late is read in real time, too.
    if (inFlight() > 0 || (await untilLoaded())) turn = -1;
  }
}

/** How many operations of `crypto.subtle`, which other threads do, are under way. */
function watchCrypto(): () => number {
  let count = 0;
  const subtle = crypto.subtle as unknown as Record<
    string,
    (...given: unknown[]) => Promise<unknown>
  >;
  for (const name of ["digest", "importKey", "sign", "verify"]) {
    const real = subtle[name]?.bind(crypto.subtle);
    subtle[name] = (...given) => {
      count += 1;
      return Promise.resolve(real?.(...given)).finally(() => (count -= 1));
    };
  }
  return () => count;
}
