/** Whether an object has fields with known names only. What is said of others is in `known-names.ts`, which most runs never need. */

/** @param known an object with every name that there is */
export function hasOnlyKnown(given: object = {}, known: object): boolean {
  if (typeof given !== "object") return false;
  for (const name in given) if (!Object.hasOwn(known, name)) return false;
  return true;
}
