/** How a processor tells the compiler that the library's next look for hooks is its own. */
import { RequestContextStorage } from "@fragno-dev/core/internal/request-context-storage";

/** A claim of the due hooks of one namespace. */
export interface HookClaim {
  /** At most so many hooks. */
  readonly limit: number;
  /** How long they belong to the processor, in milliseconds. */
  readonly leaseMs: number;
  /** Told what was claimed, before the hooks run. */
  readonly onClaimed: (claimed: ClaimedHooks) => void;
}

/** The answer to a claim. */
export interface ClaimedHooks {
  readonly hooks: readonly ClaimedHook[];
  /** As many were due as were asked for, so that there may be more. */
  readonly isFull: boolean;
}

/** A hook and its version since it was claimed, which fences its processor. */
export interface ClaimedHook {
  readonly id: string;
  readonly version: number;
}

/** Claims under way, by asynchronous context. */
export class HookClaims {
  readonly #storage = new RequestContextStorage<{ claim: HookClaim | null }>();
  /** Claims that nobody took yet: without any, the context need not be asked. */
  #openCount = 0;

  /** Runs `work`, in which the library will look for hooks once. */
  async run<T>(claim: HookClaim, work: () => Promise<T>): Promise<T> {
    const store = { claim };
    this.#openCount += 1;
    try {
      return await this.#storage.run(store, work);
    } finally {
      this.#openCount -= 1;
    }
  }

  /** The claim of this context, once: a hook that begins a transaction of its own fragment finds none. */
  take(): HookClaim | null {
    if (this.#openCount === 0) return null;
    const store = this.#store();
    const claim = store?.claim ?? null;
    if (store !== null) store.claim = null;
    return claim;
  }

  #store(): { claim: HookClaim | null } | null {
    try {
      return this.#storage.getStore();
    } catch {
      return null;
    }
  }
}
