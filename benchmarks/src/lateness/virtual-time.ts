/**
 * A clock for this whole process that jumps from timer to timer: `Date.now`, `setTimeout` and `setInterval` are replaced,
 * so that the adapters' real code waits for minutes and days in no time. What is asynchronous but needs no timer, such as
 * signatures, still runs in real time, and the clock waits for it.
 */

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
  at: number;
  readonly callback: () => void;
  /** null: once. */
  readonly everyMs: number | null;
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
  const timers = new Map<number, Timer>();
  const inCrypto = watchCrypto();
  const inFlight = (): number => inCrypto() + inFlightElsewhere();
  const add = createAdder(timers);
  const restore = replaceGlobals(timers, { add, now: () => now });
  return {
    now: () => now,
    at: (instant, callback) => void add({ at: Math.max(now, instant), callback, everyMs: null }),
    async runUntil(isDone, limitMs) {
      const until = now + limitMs;
      for (;;) {
        await settle(inFlight);
        if (isDone()) return;
        const next = earliest(timers);
        if (next === null || next[1].at > until)
          throw new RangeError(
            `it never comes: ${String(next?.[1].at)} of ${until}, ${timers.size} timers`,
          );
        now = Math.max(now, next[1].at);
        fire(timers, next);
      }
    },
    reset(ms) {
      timers.clear();
      now += ms;
    },
    restore,
  };
}

function createAdder(timers: Map<number, Timer>): (timer: Timer) => number {
  let lastId = 0;
  return (timer) => {
    lastId += 1;
    timers.set(lastId, timer);
    return lastId;
  };
}

type Callback = (...given: readonly unknown[]) => void;

/** @returns what puts the real ones back */
function replaceGlobals(
  timers: Map<number, Timer>,
  { add, now }: { readonly add: (timer: Timer) => number; readonly now: () => number },
): () => void {
  const set =
    (isRepeated: boolean) =>
    (callback: Callback, delayMs = 0, ...given: unknown[]): object => {
      const waitMs = Math.max(isRepeated ? 1 : 0, delayMs);
      const everyMs = isRepeated ? waitMs : null;
      const id = add({ at: now() + waitMs, callback: () => callback(...given), everyMs });
      return { [Symbol.toPrimitive]: () => id, unref: () => undefined, ref: () => undefined };
    };
  const clear = (handle: unknown): void => void timers.delete(Number(handle));
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
    if (inFlight() > 0) turn = -1;
  }
}

function earliest(timers: ReadonlyMap<number, Timer>): readonly [number, Timer] | null {
  let first: readonly [number, Timer] | null = null;
  for (const entry of timers) if (first === null || entry[1].at < first[1].at) first = entry;
  return first;
}

function fire(timers: Map<number, Timer>, [id, timer]: readonly [number, Timer]): void {
  if (timer.everyMs === null) timers.delete(id);
  else timer.at += timer.everyMs;
  timer.callback();
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
