/** Code that is loaded when it is first needed. */
import { assertInvariant } from "./errors.ts";

/** Gives code: the code itself if it is loaded already. */
export type Late<T> = () => Promise<T> | T;

/** The loads that are under way in this process. */
const loading = new Set<Promise<unknown>>();
/** All of it, in the order in which it became known. */
const known = new Set<Late<unknown>>();

/**
 * Loads code once. After that, the code is returned without a promise, because awaiting one takes turns. A load that fails, as when a
 * process has too many files open, is tried twice, and again with the next call. Whether the runtime then reads the file again is up to
 * it: Node 24 does; Node 20 keeps a failure for the life of the process, and Node 22 that of a file which the code imports (measured on
 * 20.20, 22.23 and 24.21, 2026-11).
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
  const get: Late<T> = () => loaded?.code ?? noted(begin());
  known.add(get);
  return get;
}

/**
 * Loads now what would be loaded on first use, and what that loads late in its turn. For a process that stays: its files may be
 * replaced while it runs, by a deploy for example, and it must not look for them then. What cannot be loaded is tried again on first use.
 *
 * @throws the first failure, after everything else was loaded
 */
export async function loadAll(): Promise<void> {
  let failure: { readonly error: unknown } | null = null;
  // What is added while this runs is visited too.
  for (const code of known) {
    try {
      await code();
    } catch (error) {
      failure ??= { error };
    }
  }
  if (failure !== null) throw failure.error;
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
