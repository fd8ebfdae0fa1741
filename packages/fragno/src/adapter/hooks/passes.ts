/** Passes over the hooks of several fragments. */
import type { HookPool, TakenHooks } from "./hook-pool.ts";
import { findDueNamespaces } from "./leases.ts";

/** Takes due hooks of all fragments, as far as there is room. @throws {DatabaseError} as `Database.batch` */
export async function takeDue(pools: readonly HookPool[]): Promise<TakenHooks> {
  const due = await findDuePools(pools);
  const taken = await Promise.all(due.map((pool) => pool.take()));
  return {
    takenCount: taken.reduce((sum, { takenCount }) => sum + takenCount, 0),
    isFull: taken.some(({ isFull }) => isFull),
  };
}

/** A single fragment is asked directly; with several, one trip finds those with due hooks. */
async function findDuePools(pools: readonly HookPool[]): Promise<readonly HookPool[]> {
  const [first] = pools;
  if (first === undefined || pools.length === 1) return pools;
  const due = await findDueNamespaces(
    first.owner.insides,
    pools.map(({ owner: { namespace } }) => namespace),
  );
  return pools.filter(({ owner: { namespace } }) => due.has(namespace));
}

/** Settles when all running hooks have ended. */
export async function ended(pools: readonly HookPool[]): Promise<void> {
  await Promise.all(pools.map((pool) => pool.ended()));
}

/** The same, or after this many milliseconds: a hook that hangs only blocks its own place. */
export async function endedWithin(pools: readonly HookPool[], waitMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, waitMs);
  });
  await Promise.race([ended(pools), waited]);
  clearTimeout(timer);
}

/** Repeated passes. */
export interface Poll {
  /** Starts no more hooks; settles when all running ones have ended. */
  stop(): Promise<void>;
}

export interface PollOptions {
  readonly pollIntervalMs: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Starts a pass now and, after each pass, the next one: when the interval is over, or as soon as this process files hooks. A pass
 * does not wait for hooks that are still running.
 */
export function startPoll(pools: readonly HookPool[], options: PollOptions): Poll {
  const polling = new Polling(pools, options);
  const filed = new Set(pools.map(({ owner }) => owner.insides.filed));
  const stopListening = [...filed].map((hooks) => hooks.on(() => polling.hurry()));
  polling.begin();
  return {
    async stop() {
      for (const stopOne of stopListening) stopOne();
      await polling.stop();
    },
  };
}

class Polling {
  readonly #pools: readonly HookPool[];
  readonly #options: PollOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pass: Promise<void> | null = null;
  /** Hooks were filed during a pass, which may not have seen them. */
  #isHurried = false;
  #isStopped = false;

  constructor(pools: readonly HookPool[], options: PollOptions) {
    this.#pools = pools;
    this.#options = options;
  }

  begin(): void {
    this.#isHurried = false;
    this.#pass = this.#takeAll()
      .catch(this.#options.onError)
      .then(() => this.#wait());
  }

  hurry(): void {
    this.#isHurried = true;
    if (this.#pass !== null) return;
    clearTimeout(this.#timer);
    this.begin();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#pass;
    await ended(this.#pools);
  }

  async #takeAll(): Promise<void> {
    while (!this.#isStopped && (await takeDue(this.#pools)).isFull)
      await endedWithin(this.#pools, this.#options.pollIntervalMs);
  }

  #wait(): void {
    this.#pass = null;
    if (this.#isStopped) return;
    if (this.#isHurried) this.begin();
    else this.#timer = setTimeout(() => this.begin(), this.#options.pollIntervalMs);
  }
}
