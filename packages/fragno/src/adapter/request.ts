/** A request of a fragment, and its transactions. */
import type { IUnitOfWork } from "@fragno-dev/db/unit-of-work";
import { FragnoAdapterError } from "./errors.ts";
import { createBareUnitOfWork, type RequestUnitOfWork, type Tries } from "./unit-of-work.ts";

/** What the library keeps per request. */
export interface RequestStore {
  readonly uow: IUnitOfWork;
}

/** State that the transactions of one request share. */
export class FragnoRequest {
  /** The unit of work of the latest try: services are called while a transaction is put together. */
  latest: RequestUnitOfWork;
  #firstKey: string | undefined;
  readonly #outer: FragnoRequest | null;
  #dueReadCount = 0;

  /** @param outer the request in which this one began, if any */
  constructor(first: RequestUnitOfWork, outer: FragnoRequest | null) {
    this.latest = first;
    this.#firstKey = first.idempotencyKey;
    this.#outer = outer;
  }

  /** The key of the request's initial unit of work, for its first transaction. */
  takeFirstKey(): string | undefined {
    const key = this.#firstKey;
    this.#firstKey = undefined;
    return key;
  }

  noteCommit({ hasHooks }: RequestUnitOfWork): void {
    if (hasHooks) this.#dueReadCount += 1;
  }

  /**
   * Whether a look for hooks in this request is the library's own, which it makes in a separate request after each commit of a
   * fragment with hooks.
   */
  takeDueRead(): boolean {
    const outer = this.#outer;
    if (outer === null || outer.#dueReadCount === 0) return false;
    outer.#dueReadCount -= 1;
    return true;
  }
}

/**
 * One `handlerTx()` of a request, as the library sees it: it holds the unit of work that the library resets at the beginning of
 * each try. Each try is a new unit of work with the same idempotency key. So concurrent transactions of one request do not
 * interfere, and retries keep the key.
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
   * The library also tries again if a callback after the commit meets a conflict of its own.
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
    // The same builder is executed twice at the same time.
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
