/** Code that is loaded when it is first needed. */
import { assertInvariant } from "./errors.ts";

/** Gives code: the code itself if it is loaded already. */
export type Late<T> = () => Promise<T> | T;

/** The loads that are under way in this process. */
const loading = new Set<Promise<unknown>>();

/**
 * Loads code once. After that, the code is returned without a promise, because awaiting one takes turns. A load that fails, as when a
 * process has too many files open, is tried twice.
 *
 * @returns a function that gives the code
 */
export function late<T>(load: () => Promise<T>): Late<T> {
  let loaded: { readonly code: T } | null = null;
  const begin = async (): Promise<T> => {
    const code = await load().catch(load);
    loaded = { code };
    return code;
  };
  return () => loaded?.code ?? noted(begin());
}

function noted<T>(load: Promise<T>): Promise<T> {
  const over = (): void => void loading.delete(load);
  loading.add(load);
  load.then(over, over);
  return load;
}

/**
 * Resolves once nothing is being loaded. A clock that only tests move stands still until then.
 *
 * @returns whether there was anything to wait for
 */
export async function untilLoaded(): Promise<boolean> {
  const isLoading = loading.size > 0;
  while (loading.size > 0) await Promise.allSettled(loading);
  return isLoading;
}

/** Code that has been awaited before. @throws {WorkflowError} INVARIANT_BROKEN */
export function requireLoaded<T>(code: Late<T>): T {
  const loaded = code();
  assertInvariant(!(loaded instanceof Promise), "code is used before it is loaded");
  return loaded;
}
