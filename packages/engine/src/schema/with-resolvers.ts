/**
 * `Promise.withResolvers`, which Fragno calls unconditionally, for Node 20. Import this before any Fragno module.
 *
 * @source research of @fragno-dev/db 0.2.2, read 2026-11; the method is in Node 22 and newer
 */
interface Resolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T | PromiseLike<T>) => void;
  readonly reject: (reason?: unknown) => void;
}

function withResolvers<T>(): Resolvers<T> {
  let resolve: Resolvers<T>["resolve"] = () => undefined;
  let reject: Resolvers<T>["reject"] = () => undefined;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

if (!("withResolvers" in Promise)) {
  Object.defineProperty(Promise, "withResolvers", {
    value: withResolvers,
    writable: true,
    configurable: true,
  });
}
