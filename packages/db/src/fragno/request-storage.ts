/** Storage of requests, shared by all fragments built on one database. */
import { RequestContextStorage } from "@fragno-dev/core/internal/request-context-storage";
import { FragnoAdapterError } from "./errors.ts";
import { type RequestStore, RequestUnitOfWork } from "./unit-of-work.ts";

/** Ties each request to its unit of work, and says what is wrong when there is none. */
export class RequestStorage extends RequestContextStorage<RequestStore> {
  override run<T>(store: RequestStore, callback: () => T): T {
    if (store.uow instanceof RequestUnitOfWork) store.uow.attachTo(store);
    return super.run(store, callback);
  }

  override runWithInitializer<T>(initializer: () => RequestStore, callback: () => T): T {
    return this.run(initializer(), callback);
  }

  override getStore(): RequestStore {
    try {
      return super.getStore();
    } catch {
      throw new FragnoAdapterError(
        "NO_TRANSACTION",
        "A service runs inside a route handler or `inContext` of a fragment on the same Database object",
      );
    }
  }
}
