/** Reads of what may throw, for example a getter or a revoked proxy. */

/** The value of a function that may throw. */
export function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
