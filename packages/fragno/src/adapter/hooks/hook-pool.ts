/** The hooks of one fragment that run at the same time, each with its own time limit. */
import { library } from "../library.ts";
import type { AdapterInsides } from "../shared-state.ts";
import { dbNow } from "../db-now.ts";
import { HOOKS_TABLE, INTERNAL_NAMESPACE } from "../internals.ts";
import { tableOf } from "../tables.ts";
import { type ClaimedHook, claimHooks } from "./claim.ts";
import { HookMarks } from "./hook-marks.ts";
import { HookRun } from "./hook-run.ts";
import { renewLeases } from "./leases.ts";
import { compileHookMark } from "./mark.ts";

/** A fragment with a database, as its `build()` gives it. */
export interface DatabaseFragment {
  readonly $internal: { readonly deps: unknown; readonly options: unknown };
  inContext(callback: (this: never) => Promise<unknown>): unknown;
}

/** A fragment whose hooks are run. */
export interface HookOwner {
  readonly fragment: DatabaseFragment;
  readonly namespace: string;
  readonly insides: AdapterInsides;
}

export interface HookPoolOptions {
  readonly batchSize: number;
  readonly leaseMs: number;
  readonly hookTimeoutMs: number;
  /** Called if a hook's outcome cannot be written. The hook runs again when its lease ends. */
  readonly onError: (error: unknown) => void;
}

/** The hooks that were started. */
export interface TakenHooks {
  readonly takenCount: number;
  /** More may be due now. */
  readonly isFull: boolean;
}

/** When the library repeats a hook. @source `processHooks` in `hooks/hooks.ts` of @fragno-dev/db 0.2.2 */
const retryPolicy = new library.ExponentialBackoffRetryPolicy({ maxRetries: 5 });

/** The error of a hook whose own error cannot be converted to text. */
const UNREADABLE = "The hook threw a value that has no text";

export class HookPool {
  readonly owner: HookOwner;
  readonly #options: HookPoolOptions;
  readonly #marks: HookMarks;
  readonly #running = new Map<ClaimedHook, Promise<void>>();
  readonly #held = new Set<ClaimedHook>();
  #stopRenewing: (() => void) | null = null;
  #hasHooks: boolean | null = null;

  constructor(owner: HookOwner, options: HookPoolOptions) {
    this.owner = owner;
    this.#options = options;
    this.#marks = new HookMarks(owner.insides.executing);
  }

  /** Claims as many due hooks as there is room for, and starts them. @throws {DatabaseError} as `Database.batch` */
  async take(): Promise<TakenHooks> {
    const { namespace, insides } = this.owner;
    const { batchSize, leaseMs } = this.#options;
    const limit = batchSize - this.#running.size;
    if (limit <= 0) return { takenCount: 0, isFull: true };
    if (!(this.#hasHooks ??= await this.#looksForHooks())) return { takenCount: 0, isFull: false };
    const { hooks, isFull } = await claimHooks(insides, { namespace, limit, leaseMs });
    for (const hook of hooks) this.#begin(hook);
    return { takenCount: hooks.length, isFull };
  }

  /** Settles when all running hooks have ended, which takes no longer than a hook's time limit. */
  async ended(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  /** A fragment without hooks of its own cannot run those that are filed under its name. */
  async #looksForHooks(): Promise<boolean> {
    const probe = new HookRun(this.owner.namespace, null, this.#marks);
    await probe.perform(() => findHooks(this.owner.fragment));
    return probe.isTaken;
  }

  #begin(hook: ClaimedHook): void {
    const { insides } = this.owner;
    this.#held.add(hook);
    this.#stopRenewing ??= renewLeases(insides, this.#held, this.#options.leaseMs);
    const running = this.#run(hook)
      .catch(this.#options.onError)
      .then(() => this.#end(hook));
    this.#running.set(hook, running);
  }

  #end(hook: ClaimedHook): void {
    this.#running.delete(hook);
    this.#held.delete(hook);
    if (this.#held.size > 0) return;
    this.#stopRenewing?.();
    this.#stopRenewing = null;
  }

  /** The library runs the hook and marks it; if its time is over first, it is marked here. */
  async #run(hook: ClaimedHook): Promise<void> {
    const { fragment, namespace } = this.owner;
    const run = new HookRun(namespace, hook, this.#marks);
    const timedOut = run.timeout(this.#options.hookTimeoutMs);
    const ran = run.perform(() => findHooks(fragment)).then(() => null);
    try {
      const error = await Promise.race([ran, timedOut]);
      if (error !== null) await this.#markFailed(hook, error.message);
      else if (!run.isMarked) await this.#markFailed(hook, UNREADABLE);
    } finally {
      run.end();
    }
  }

  async #markFailed({ id, attemptCount }: ClaimedHook, error: string): Promise<void> {
    const { executing, namespaces } = this.owner.insides;
    const scope = { dialect: executing.database.dialect, namespace: INTERNAL_NAMESPACE };
    const set = {
      status: "pending",
      attempts: attemptCount + 1,
      lastAttemptAt: dbNow(),
      nextRetryAt: dbNow(retryPolicy.getDelayMs(attemptCount)),
      error,
    };
    const mark = { id, set, checkVersion: true };
    await this.#marks.add(compileHookMark(scope, tableOf(namespaces.internal, HOOKS_TABLE), mark));
  }
}

/** Makes the library look for due hooks, and run them: it does after every transaction, and so after an empty one. */
export async function findHooks(fragment: DatabaseFragment): Promise<void> {
  await fragment.inContext(async function (this: { handlerTx(): { execute(): Promise<unknown> } }) {
    await this.handlerTx().execute();
  });
}
