/** A request of a fragment, and its transactions. */
import type { IUnitOfWork } from "@fragno-dev/db/unit-of-work";
import { FragnoAdapterError } from "./errors.ts";
import { createBareUnitOfWork, type RequestUnitOfWork, type Tries } from "./unit-of-work.ts";

/** What the library keeps per request. */
export interface RequestStore {
  readonly uow: IUnitOfWork;
}

/** What the transactions of one request share. */
export class FragnoRequest {
  /** Of the try begun last: services are called while a transaction is put together. */
  latest: RequestUnitOfWork;
  #firstKey: string | undefined;
  readonly #outer: FragnoRequest | null;
  #dueLookCount = 0;

  /** @param outer the request that this one was begun in, if any */
  constructor(first: RequestUnitOfWork, outer: FragnoRequest | null) {
    this.latest = first;
    this.#firstKey = first.idempotencyKey;
    this.#outer = outer;
  }

  /** The key of the unit of work that the request began with, for its first transaction. */
  takeFirstKey(): string | undefined {
    const key = this.#firstKey;
    this.#firstKey = undefined;
    return key;
  }

  noteCommit({ hasHooks }: RequestUnitOfWork): void {
    if (hasHooks) this.#dueLookCount += 1;
  }

  /**
   * Whether a look for hooks made in this request is the one that the library makes behind each commit of a fragment
   * that has hooks, in a request of its own.
   */
  takeDueLook(): boolean {
    const outer = this.#outer;
    if (outer === null || outer.#dueLookCount === 0) return false;
    outer.#dueLookCount -= 1;
    return true;
  }
}

/**
 * One `handlerTx()` of a request, as the library sees it: where it finds the unit of work that it resets at the
 * beginning of each try. Each try is a fresh unit of work under the same idempotency key, so that transactions of one
 * request that run at the same time do not meet, and whatever makes the library try again leaves the key alone.
 */
export class Transaction implements RequestStore, Tries {
  readonly #request: FragnoRequest;
  #try: RequestUnitOfWork | null = null;
  #state: "open" | "committing" | "committed" = "open";

  constructor(request: FragnoRequest) {
    this.#request = request;
  }

  get uow(): IUnitOfWork {
    return this.#try ?? this.#request.latest.asTryOf(this);
  }

  /**
   * The library also tries again when a callback behind the commit meets a conflict of its own.
   *
   * @throws {FragnoAdapterError} ALREADY_COMMITTED
   */
  begin(): void {
    if (this.#state === "committed")
      throw new FragnoAdapterError(
        "ALREADY_COMMITTED",
        "The transaction was committed, and is not run again: a callback behind its commit met a conflict, or its builder was executed twice",
      );
    const { latest } = this.#request;
    const key = this.#try?.idempotencyKey ?? this.#request.takeFirstKey();
    this.#try = createBareUnitOfWork(latest.origin, key).asTryOf(this);
    this.#request.latest = this.#try;
  }

  async commit(
    tried: RequestUnitOfWork,
    send: () => Promise<{ success: boolean }>,
  ): Promise<{ success: boolean }> {
    // The same builder is executed twice at once.
    if (this.#state !== "open") return { success: false };
    this.#state = "committing";
    let success = false;
    try {
      ({ success } = await send());
    } finally {
      const hasWritten = success && tried.getMutationOperations().length > 0;
      this.#state = hasWritten ? "committed" : "open";
      if (success) this.#request.noteCommit(tried);
    }
    return { success };
  }
}
