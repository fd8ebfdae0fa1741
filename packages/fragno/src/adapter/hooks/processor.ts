/** Runs the durable hooks of fragments, outside of requests. */
import { insidesOf } from "../adapter.ts";
import { FragnoAdapterError } from "../errors.ts";
import { type DatabaseFragment, type HookOwner, HookPool } from "./hook-pool.ts";
import { findNextDueInMs } from "./leases.ts";
import { ended, endedWithin, type Poll, startPoll, takeDue } from "./passes.ts";

/** How to poll for hooks, and how many run at the same time. */
export interface DurableHooksOptions {
  /** Milliseconds from the end of a pass to the next one. @default 1000 @minimum 1 */
  readonly pollIntervalMs?: number;
  /** How many hooks of one fragment run at the same time. @default 20 @minimum 1 */
  readonly batchSize?: number;
  /**
   * How long a hook may run, in milliseconds. After that it counts as failed and is tried again, under the same idempotency
   * key. If it ends after all, that changes nothing. It may still be running: pass `hookSignal()` on to whatever can hang.
   * @default 300000 @minimum 1
   */
  readonly hookTimeoutMs?: number;
  /**
   * How long a hook belongs to the processor that took it, in milliseconds of database time; renewed while the hook runs. If
   * the processor dies, another one takes the hook over after that time. @default 60000 @minimum 1000
   */
  readonly leaseMs?: number;
  /**
   * Called when a pass fails while polling, or when a hook cannot be marked, for example because the database is away. The
   * next pass comes anyway.
   */
  readonly onError?: (error: unknown) => void;
}

/** Limits of a pass. */
export interface ProcessOptions {
  /** After how many milliseconds no more hooks are started. @default Infinity */
  readonly timeBudgetMs?: number;
}

/** What a pass did. */
export interface HooksResult {
  /** Hooks that were run, whether they succeeded or not. */
  readonly processedCount: number;
  /** The time ran out while hooks were due. */
  readonly moreDue: boolean;
}

/** Runs durable hooks that are due, once or until it is stopped. */
export interface HooksProcessor {
  /**
   * Runs hooks that are due, and hooks that become due meanwhile; for ticks. You can call it in many processes at once. With
   * several fragments, one trip finds those with due hooks. Settles when every hook that it started has ended, or has used up its
   * time.
   *
   * @throws {DatabaseError} as `Database.batch`; running hooks run again when their lease ends
   */
  process(options?: ProcessOptions): Promise<HooksResult>;
  /**
   * When to come again: how long until a hook is due that is not due now, in milliseconds, because of another attempt or because
   * the lease of a processor ends; null: none will be due by itself. One trip.
   *
   * @throws {DatabaseError} as `Database.batch`
   */
  nextDueInMs(): Promise<number | null>;
  /** Runs a pass again and again. Does nothing if it is already polling. */
  startPolling(): void;
  /** Starts nothing more; settles when every running hook has ended, or has used up its time. */
  stopPolling(): Promise<void>;
}

/**
 * Creates the processor for the hooks of these fragments; hooks of other fragments wait. All of them must be built on one database,
 * with one of our adapters.
 *
 * A hook runs at least once: a processor that dies may have run it, so the next one runs it again with the same `idempotencyKey`. A death
 * counts as an attempt.
 *
 * @throws {FragnoAdapterError} INVALID_QUERY — a fragment is on another adapter
 */
export function createHooksProcessor(
  fragments: readonly DatabaseFragment[],
  options: DurableHooksOptions = {},
): HooksProcessor {
  return new Processor(fragments.map(toHookOwner), options);
}

class Processor implements HooksProcessor {
  readonly #owners: readonly HookOwner[];
  readonly #settings: Required<DurableHooksOptions>;
  #polling: Poll | null = null;

  constructor(owners: readonly HookOwner[], options: DurableHooksOptions) {
    this.#owners = owners;
    this.#settings = {
      pollIntervalMs: options.pollIntervalMs ?? 1000,
      batchSize: options.batchSize ?? 20,
      hookTimeoutMs: options.hookTimeoutMs ?? 300_000,
      leaseMs: options.leaseMs ?? 60_000,
      onError: toSafe(options.onError),
    };
  }

  async process({ timeBudgetMs = Infinity }: ProcessOptions = {}): Promise<HooksResult> {
    const startedAtMs = performance.now();
    const failures: unknown[] = [];
    const pools = this.#createPools((error) => void failures.push(error));
    let processedCount = 0;
    let moreDue = true;
    try {
      while (moreDue && failures.length === 0) {
        const { takenCount, isFull } = await takeDue(pools);
        processedCount += takenCount;
        moreDue = isFull;
        if (moreDue) await endedWithin(pools, this.#settings.pollIntervalMs);
        if (performance.now() - startedAtMs >= timeBudgetMs) break;
      }
    } finally {
      await ended(pools);
    }
    if (failures.length > 0) throw failures[0];
    return { processedCount, moreDue };
  }

  async nextDueInMs(): Promise<number | null> {
    const [first] = this.#owners;
    if (first === undefined) return null;
    return findNextDueInMs(
      first.insides,
      this.#owners.map(({ namespace }) => namespace),
    );
  }

  startPolling(): void {
    this.#polling ??= startPoll(this.#createPools(this.#settings.onError), this.#settings);
  }

  async stopPolling(): Promise<void> {
    const polling = this.#polling;
    this.#polling = null;
    await polling?.stop();
  }

  #createPools(onError: (error: unknown) => void): readonly HookPool[] {
    return this.#owners.map((owner) => new HookPool(owner, { ...this.#settings, onError }));
  }
}

/** Wraps the callback, so that an error in it ends nothing here. */
export function toSafe(onError: DurableHooksOptions["onError"]): (error: unknown) => void {
  return (error) => {
    try {
      onError?.(error);
    } catch {
      // An error of the callback is its author's problem.
    }
  };
}

function toHookOwner(fragment: DatabaseFragment): HookOwner {
  const { deps, options } = fragment.$internal as {
    readonly deps: { readonly namespace: string };
    readonly options: { readonly databaseAdapter: object };
  };
  const insides = insidesOf(options.databaseAdapter);
  if (insides !== null) return { fragment, namespace: deps.namespace, insides };
  throw new FragnoAdapterError(
    "INVALID_QUERY",
    `The fragment in the namespace "${deps.namespace}" is not built on an adapter of createFragnoAdapter`,
    { namespace: deps.namespace },
  );
}
