/** Runs the durable hooks of fragments, away from any request. */
import { type AdapterInsides, insidesOf } from "../adapter.ts";
import { FragnoAdapterError } from "../errors.ts";
import type { ClaimedHooks } from "./claims.ts";
import { findDueNamespaces, findNextDueAt, renewLeases } from "./leases.ts";

/** A fragment with a database, as its `build()` gives it. */
export interface DatabaseFragment {
  readonly $internal: { readonly deps: unknown; readonly options: unknown };
  inContext(callback: (this: never) => Promise<unknown>): unknown;
}

export interface DurableHooksOptions {
  /** Milliseconds from the end of a pass to the next one. @default 1000 @minimum 1 */
  readonly pollIntervalMs?: number;
  /** Hooks of one fragment that run at the same time. @default 20 @minimum 1 */
  readonly batchSize?: number;
  /**
   * How long a hook belongs to the processor that took it, in milliseconds of database time; renewed while the hook
   * runs. After the processor's death another one takes it over that late. @default 60000 @minimum 1000
   */
  readonly leaseMs?: number;
  /** Told of passes that failed while polling: the database was lost, for instance. The next pass comes all the same. */
  readonly onError?: (error: unknown) => void;
}

/** How far a pass goes. */
export interface ProcessOptions {
  /** After so many milliseconds no more hooks are taken. @default Infinity */
  readonly timeBudgetMs?: number;
}

/** What a pass did. */
export interface ProcessResult {
  /** Hooks that were run, whether they succeeded or not. */
  readonly processedCount: number;
  /** The time ran out while hooks were due. */
  readonly moreDue: boolean;
}

export interface DurableHooksProcessor {
  /**
   * Runs what is due, and what becomes due meanwhile; for ticks. Safe in many processes at once. Of several fragments,
   * one trip finds those that have anything due.
   *
   * @throws {DatabaseError} as `Database.batch`; hooks under way run again when their lease ends
   */
  process(options?: ProcessOptions): Promise<ProcessResult>;
  /**
   * When to come again: database instant, in epoch milliseconds, at which a hook comes due that is not due now, for
   * another try or because the lease of a processor ends; null: none will by itself. One trip.
   *
   * @throws {DatabaseError} as `Database.batch`
   */
  nextDueAt(): Promise<number | null>;
  /** Runs a pass now and again. Does nothing while it polls already. */
  startPolling(): void;
  /** Begins no more passes; settles when the one under way has ended. */
  stopPolling(): Promise<void>;
}

/**
 * Creates the processor of these fragments' hooks; a fragment that is missing here waits. All of them are to be built on
 * one database with an adapter of ours.
 *
 * A hook runs at least once: a processor that dies may have run it, so that the next one runs it again with the same
 * `idempotencyKey`. A death counts as an attempt.
 *
 * @throws {FragnoAdapterError} INVALID_QUERY — a fragment is on another adapter
 */
export function createDurableHooksProcessor(
  fragments: readonly DatabaseFragment[],
  options: DurableHooksOptions = {},
): DurableHooksProcessor {
  return new Processor(fragments.map(toHookOwner), options);
}

interface HookOwner {
  readonly fragment: DatabaseFragment;
  readonly namespace: string;
  readonly insides: AdapterInsides;
}

class Processor implements DurableHooksProcessor {
  readonly #owners: readonly HookOwner[];
  readonly #settings: Required<DurableHooksOptions>;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #polling = false;
  #pass: Promise<unknown> = Promise.resolve();

  constructor(owners: readonly HookOwner[], options: DurableHooksOptions) {
    this.#owners = owners;
    this.#settings = {
      pollIntervalMs: options.pollIntervalMs ?? 1000,
      batchSize: options.batchSize ?? 20,
      leaseMs: options.leaseMs ?? 60_000,
      onError: options.onError ?? (() => undefined),
    };
  }

  async process({ timeBudgetMs = Infinity }: ProcessOptions = {}): Promise<ProcessResult> {
    const startedAtMs = performance.now();
    let processedCount = 0;
    for (;;) {
      const due = await findDueOwners(this.#owners);
      if (due.length === 0) return { processedCount, moreDue: false };
      const claims = await Promise.all(due.map((owner) => this.#runOnce(owner)));
      processedCount += claims.reduce((sum, { hooks }) => sum + hooks.length, 0);
      const goesOn = claims.some(({ isFull }) => isFull);
      if (!goesOn) return { processedCount, moreDue: false };
      if (performance.now() - startedAtMs >= timeBudgetMs) return { processedCount, moreDue: true };
    }
  }

  async nextDueAt(): Promise<number | null> {
    const [first] = this.#owners;
    if (first === undefined) return null;
    return findNextDueAt(
      first.insides,
      this.#owners.map(({ namespace }) => namespace),
    );
  }

  startPolling(): void {
    if (this.#polling) return;
    this.#polling = true;
    this.#poll();
  }

  async stopPolling(): Promise<void> {
    this.#polling = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#pass;
  }

  #poll(): void {
    this.#pass = this.process()
      .then(undefined, this.#settings.onError)
      .then(() => {
        if (this.#polling) {
          this.#timer = setTimeout(() => this.#poll(), this.#settings.pollIntervalMs);
        }
      });
  }

  /** Lets the library look for hooks once, in the fragment's own context, and gives it those that this processor took. */
  async #runOnce({ fragment, insides }: HookOwner): Promise<ClaimedHooks> {
    const { batchSize: limit, leaseMs } = this.#settings;
    let claimed: ClaimedHooks = { hooks: [], isFull: false };
    let stopRenewing = (): void => undefined;
    const onClaimed = (answer: ClaimedHooks): void => {
      claimed = answer;
      stopRenewing = renewLeases(insides, answer.hooks, leaseMs);
    };
    try {
      await insides.claims.run({ limit, leaseMs, onClaimed }, () => runHooks(fragment));
    } finally {
      stopRenewing();
    }
    return claimed;
  }
}

/** An empty transaction: what the library does after a commit is all that is wanted. */
async function runHooks(fragment: DatabaseFragment): Promise<void> {
  await fragment.inContext(async function (this: { handlerTx(): { execute(): Promise<unknown> } }) {
    await this.handlerTx().execute();
  });
}

/** One fragment is asked at once; of several, one trip tells which are worth asking. */
async function findDueOwners(owners: readonly HookOwner[]): Promise<readonly HookOwner[]> {
  const [first] = owners;
  if (first === undefined || owners.length === 1) return owners;
  const due = await findDueNamespaces(
    first.insides,
    owners.map(({ namespace }) => namespace),
  );
  return owners.filter(({ namespace }) => due.has(namespace));
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
