/** Code that is loaded when it is first needed. */
import { assertInvariant } from "./errors.ts";

/** Gives code: itself where it is there. */
export type Late<T> = () => Promise<T> | T;

/** What is being loaded in this process. */
const loading = new Set<Promise<unknown>>();

/**
 * What is there is not asked for again, which would take turns; what is not there, as where a process has too many files open, is
 * asked for twice.
 *
 * @returns what gives it
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
 * Resolves once nothing is being loaded: a clock that only tests move stands still until then.
 *
 * @returns whether anything was
 */
export async function untilLoaded(): Promise<boolean> {
  const isLoading = loading.size > 0;
  while (loading.size > 0) await Promise.allSettled(loading);
  return isLoading;
}

/** Code that somebody has waited for before. @throws {WorkflowError} INVARIANT_BROKEN */
export function there<T>(code: Late<T>): T {
  const loaded = code();
  assertInvariant(!(loaded instanceof Promise), "code is used before it is there");
  return loaded;
}
