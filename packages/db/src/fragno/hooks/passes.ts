/** Passes over the hooks of several fragments. */
import type { HookPool, TakenHooks } from "./hook-pool.ts";
import { findDueNamespaces } from "./leases.ts";

/** Takes what is due of all, as far as there is room. @throws {DatabaseError} as `Database.batch` */
export async function takeDue(pools: readonly HookPool[]): Promise<TakenHooks> {
  const due = await findDuePools(pools);
  const taken = await Promise.all(due.map((pool) => pool.take()));
  return {
    takenCount: taken.reduce((sum, { takenCount }) => sum + takenCount, 0),
    isFull: taken.some(({ isFull }) => isFull),
  };
}

/** One fragment is asked at once; of several, one trip tells which are worth asking. */
async function findDuePools(pools: readonly HookPool[]): Promise<readonly HookPool[]> {
  const [first] = pools;
  if (first === undefined || pools.length === 1) return pools;
  const due = await findDueNamespaces(
    first.owner.insides,
    pools.map(({ owner: { namespace } }) => namespace),
  );
  return pools.filter(({ owner: { namespace } }) => due.has(namespace));
}

/** Settles when all that is under way has ended. */
export async function ended(pools: readonly HookPool[]): Promise<void> {
  await Promise.all(pools.map((pool) => pool.ended()));
}

/** The same, or when so many milliseconds have passed: a hook that hangs holds up nothing but its own place. */
export async function endedWithin(pools: readonly HookPool[], waitMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, waitMs);
  });
  await Promise.race([ended(pools), waited]);
  clearTimeout(timer);
}

/** Passes that follow each other. */
export interface Poll {
  /** Begins no more; settles when all that is under way has ended. */
  stop(): Promise<void>;
}

export interface PollOptions {
  readonly pollIntervalMs: number;
  readonly onError: (error: unknown) => void;
}

/** Begins a pass now and, after each one's end, the next. None waits for hooks that still run. */
export function startPoll(
  pools: readonly HookPool[],
  { pollIntervalMs, onError }: PollOptions,
): Poll {
  const stopped = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const takeAll = async (): Promise<void> => {
    while (!stopped.signal.aborted && (await takeDue(pools)).isFull)
      await endedWithin(pools, pollIntervalMs);
  };
  const run = (): Promise<void> =>
    takeAll()
      .catch(onError)
      .then(() => {
        if (!stopped.signal.aborted) timer = setTimeout(poll, pollIntervalMs);
      });
  let pass = run();
  const poll = (): void => void (pass = run());
  return {
    async stop() {
      stopped.abort();
      clearTimeout(timer);
      await pass;
      await ended(pools);
    },
  };
}
