/** Globals that Fragno relies on and some runtimes lack. */

/** A promise and the functions that settle it. */
export interface Resolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T | PromiseLike<T>) => void;
  readonly reject: (reason?: unknown) => void;
}

/**
 * Gives the runtime `Promise.withResolvers` (missing on Node 20; every unit of work calls it) and an empty `process.env` (missing
 * on workers; `build()` of a fragment reads it). Does nothing if they exist. Creating an adapter calls it; call it yourself only to
 * build Fragno's units of work without our adapter.
 *
 * @source `execute-unit-of-work.ts` of @fragno-dev/db 0.2.2 and `fragment-instantiator.ts` of @fragno-dev/core 0.1.11
 */
export function installRuntimeShims(): void {
  if (!("withResolvers" in Promise)) define(Promise, "withResolvers", withResolvers);
  if (!("process" in globalThis)) define(globalThis, "process", { env: {} });
}

function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, configurable: true });
}

/** `Promise.withResolvers` for every runtime. */
export function withResolvers<T>(): Resolvers<T> {
  const settlers = {} as Omit<Resolvers<T>, "promise">;
  const promise = new Promise<T>((resolve, reject) => {
    Object.assign(settlers, { resolve, reject });
  });
  return { promise, ...settlers };
}
