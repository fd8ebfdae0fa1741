/** Reads of what may throw, for example a getter or a revoked proxy. */

/** The value of a function that may throw. */
export function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** A property of any object; undefined when it cannot be read. */
export const readField = (source: object, key: string): unknown =>
  attempt(() => (source as Readonly<Record<string, unknown>>)[key], undefined);
