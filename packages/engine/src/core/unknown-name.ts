/** Finds what `known-names.ts` refuses. */

/**
 * Finds the first field of an object that has no known name.
 *
 * @param known an object with every name that there is
 * @returns null: there is none; empty: the value is no object
 */
export function findUnknownName(given: object = {}, known: object): string | null {
  if (typeof given !== "object") return "";
  for (const name in given) if (!Object.hasOwn(known, name)) return name;
  return null;
}
