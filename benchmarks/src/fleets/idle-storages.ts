/**
 * Async local storages of sandboxes that are in no invocation. On Node 20 each storage that was ever used makes every promise
 * of the process a little slower, and an application has one, not hundreds.
 */
import { AsyncLocalStorage } from "node:async_hooks";

/** @param current who is told of a storage that something is run in */
export function watchStorages(
  current: () => Set<AsyncLocalStorage<unknown>> | undefined,
): () => void {
  const { run } = AsyncLocalStorage.prototype;
  const watched = function (this: AsyncLocalStorage<unknown>, ...given: unknown[]): unknown {
    current()?.add(this);
    return Reflect.apply(run, this, given);
  };
  Object.assign(AsyncLocalStorage.prototype, { run: watched });
  return () => void Object.assign(AsyncLocalStorage.prototype, { run });
}
