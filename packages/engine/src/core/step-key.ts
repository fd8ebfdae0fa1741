/**
 * A step's identity within its run: its place, its name, and which use of the name it is.
 *
 * `/`, `~` and `#` separate the parts of a key, so names are escaped as URLs are. The first use has the bare name. Steps of
 * a scope stand behind its key and the branch's: `book/hotel/reserve`, `poll/~3/ask`.
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
 * Replay asks for each step, and hardly any name has such characters: looking is much cheaper than replacing.
 */
export const escapeName = (name: string): string =>
  SPECIAL.test(name)
    ? name.replaceAll(/[%#/~]/g, (character) => ESCAPES[character] ?? character)
    : name;

/**
 * The key of the n-th use of a name at a place: `poll`, `poll#2`, `poll#3`.
 *
 * @param occurrence 1-based
 */
export const toStepKey = (name: string, occurrence: number): string =>
  occurrence === 1 ? escapeName(name) : `${escapeName(name)}#${occurrence}`;

/** What stands at a place. @param path the place's; empty: the run itself */
export const toPath = (path: string, part: string): string =>
  path === "" ? part : `${path}/${part}`;

/** The name of the step that undoes another one, at a place that has that one's key. */
export const UNDO_NAME = "undo";

export const toUndoKey = (stepKey: string): string => toPath(stepKey, UNDO_NAME);

/** Whether a key stands at a place, or at one inside it. @param path empty: the run, where every key stands */
export const isBelow = (stepKey: string, path: string): boolean =>
  path === "" || (stepKey.startsWith(path) && stepKey[path.length] === "/");

/** Stands before the number of an iteration in keys. */
export const ITERATION_MARK = "/~";

export const isInLoop = (stepKey: string): boolean => stepKey.includes(ITERATION_MARK);

/** The loops that a key stands in, outermost first. */
export function* loopsOf(stepKey: string): Generator<string> {
  for (
    let at = stepKey.indexOf(ITERATION_MARK);
    at > 0;
    at = stepKey.indexOf(ITERATION_MARK, at + 1)
  )
    yield stepKey.slice(0, at);
}

/** Whether the row of one step is there for as long as the other step is: loops remove the rows of whole iterations. */
export function outlives(stepKey: string, other: string): boolean {
  const at = stepKey.lastIndexOf(ITERATION_MARK);
  if (at < 0) return true;
  const end = stepKey.indexOf("/", at + 1);
  return end > 0 && isBelow(other, stepKey.slice(0, end));
}
