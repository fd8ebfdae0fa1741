/** Request storage, shared by all fragments on one database. */
import { library } from "./library.ts";
import { FragnoAdapterError } from "./errors.ts";
import { FragnoRequest, type RequestStore, Transaction } from "./request.ts";
import { RequestUnitOfWork } from "./unit-of-work.ts";

/** Gives each transaction of a request its own store, and reports an error if there is no request. */
export class RequestStorage extends library.RequestContextStorage<RequestStore> {
  readonly #requests = new library.RequestContextStorage<FragnoRequest>();

  override run<T>(store: RequestStore, callback: () => T): T {
    const { uow } = store;
    if (uow instanceof RequestUnitOfWork)
      return this.#requests.run(new FragnoRequest(uow, this.current()), callback);
    throw new FragnoAdapterError(
      "NO_TRANSACTION",
      "A request on this adapter needs a unit of work that this adapter created",
    );
  }

  override runWithInitializer<T>(initializer: () => RequestStore, callback: () => T): T {
    return this.run(initializer(), callback);
  }

  /** The library calls it once per transaction, and once per service call. */
  override getStore(): RequestStore {
    const request = this.current();
    if (request !== null) return new Transaction(request);
    throw new FragnoAdapterError(
      "NO_TRANSACTION",
      "A service runs inside a route handler or `inContext` of a fragment on the same Database object",
    );
  }

  /** The request in the current asynchronous context; null: none. */
  current(): FragnoRequest | null {
    try {
      return this.#requests.getStore();
    } catch {
      return null;
    }
  }
}
