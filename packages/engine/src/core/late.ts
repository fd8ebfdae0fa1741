/** Code that is loaded when it is first needed. */
import { assertInvariant } from "./errors.ts";

/** Gives code: itself where it is there. */
export type Late<T> = () => Promise<T> | T;

/**
 * What is there is not asked for again, which would take turns; what is not there, as where a process has too many files open, is
 * asked for twice.
 *
 * @returns what gives it
 */
export function late<T>(load: () => Promise<T>): Late<T> {
  let loaded: { readonly code: T } | null = null;
  return () =>
    loaded?.code ??
    load()
      .catch(load)
      .then((code) => {
        loaded = { code };
        return code;
      });
}

/** Code that somebody has waited for before. @throws {WorkflowError} INVARIANT_BROKEN */
export function there<T>(code: Late<T>): T {
  const loaded = code();
  assertInvariant(!(loaded instanceof Promise), "code is used before it is there");
  return loaded;
}
