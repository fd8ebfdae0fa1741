/**
 * A step's identity within its run: its place, its name, and the occurrence of the name there.
 *
 * `/`, `~` and `#` separate the parts of a key, so names are escaped as in URLs. The first occurrence has the bare name. Steps of a
 * scope have the scope's key and the branch's name as a prefix: `book/hotel/reserve`, `poll/~3/ask`.
 */

const ESCAPES: Readonly<Record<string, string>> = {
  "%": "%25",
  "#": "%23",
  "/": "%2F",
  "~": "%7E",
};

const SPECIAL = /[%#/~]/;

/**
 * A name as a part of a key.
 *
 * It is tested first, because replay asks for every step, hardly any name needs escaping, and testing is much cheaper.
 */
export const escapeName = (name: string): string =>
  SPECIAL.test(name)
    ? name.replaceAll(/[%#/~]/g, (character) => ESCAPES[character] ?? character)
    : name;

/**
 * The key of the n-th occurrence of a name at a place: `poll`, `poll#2`, `poll#3`.
 *
 * @param occurrence 1-based
 */
export const toStepKey = (name: string, occurrence: number): string =>
  occurrence === 1 ? escapeName(name) : `${escapeName(name)}#${occurrence}`;

/** The path of a part at a place. @param path of the place; empty: the run itself */
export const toPath = (path: string, part: string): string =>
  path === "" ? part : `${path}/${part}`;

/** The name of a step that undoes another one; its place is that step's key. */
export const UNDO_NAME = "undo";

export const toUndoKey = (stepKey: string): string => toPath(stepKey, UNDO_NAME);

/** Whether a key is at a place or inside it. @param path empty: the run, which contains every key */
export const isBelow = (stepKey: string, path: string): boolean =>
  path === "" || (stepKey.startsWith(path) && stepKey[path.length] === "/");

/** Precedes the number of an iteration in keys. */
export const ITERATION_MARK = "/~";

export const isInLoop = (stepKey: string): boolean => stepKey.includes(ITERATION_MARK);

/** The loops around a key, outermost first. */
export function* loopsOf(stepKey: string): Generator<string> {
  for (
    let at = stepKey.indexOf(ITERATION_MARK);
    at > 0;
    at = stepKey.indexOf(ITERATION_MARK, at + 1)
  )
    yield stepKey.slice(0, at);
}

/** Whether the row of a step exists as long as the other step does, given that loops remove the rows of whole iterations. */
export function outlives(stepKey: string, other: string): boolean {
  const at = stepKey.lastIndexOf(ITERATION_MARK);
  if (at < 0) return true;
  const end = stepKey.indexOf("/", at + 1);
  return end > 0 && isBelow(other, stepKey.slice(0, end));
}
