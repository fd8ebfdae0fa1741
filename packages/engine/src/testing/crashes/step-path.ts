/** Paths of steps as their authors know them. */

/** A step's path for people, the same for all of its occurrences and iterations: `poll/~3/ask#2` is `poll/ask`. */
export const toStepPath = (stepKey: string): string =>
  stepKey
    .split("/")
    .filter((part) => !part.startsWith("~"))
    // In a key, every `%` begins an escape.
    .map((part) => decodeURIComponent(part.replace(/#\d+$/, "")))
    .join("/");

/** Whether a path is one of the given names: as a whole, or by its last part. */
export const isNamed = (path: string, names: readonly string[]): boolean =>
  names.some((name) => path === name || path.endsWith(`/${name}`));
