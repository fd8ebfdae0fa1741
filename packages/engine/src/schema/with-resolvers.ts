interface Resolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T | PromiseLike<T>) => void;
  readonly reject: (reason?: unknown) => void;
}

/**
 * Gives Node 20 `Promise.withResolvers`, which Fragno's queries call unconditionally. Call it before Fragno talks to a
 * database; compiling migrations does not need it. Does nothing where the method exists.
 *
 * @source `execute-unit-of-work.ts` of @fragno-dev/db 0.2.2, read 2026-11-21
 */
export function installWithResolvers(): void {
  if ("withResolvers" in Promise) return;
  Object.defineProperty(Promise, "withResolvers", {
    value: withResolvers,
    writable: true,
    configurable: true,
  });
}

function withResolvers<T>(): Resolvers<T> {
  const settlers = {} as Omit<Resolvers<T>, "promise">;
  const promise = new Promise<T>((resolve, reject) => {
    Object.assign(settlers, { resolve, reject });
  });
  return { promise, ...settlers };
}
