/**
 * A step's identity within its run: the name, and which use of the name it is.
 *
 * `/`, `~` and `#` separate the parts of a key, so names are escaped as URLs are. The first use has the bare name.
 */

const ESCAPES: Readonly<Record<string, string>> = {
  "%": "%25",
  "#": "%23",
  "/": "%2F",
  "~": "%7E",
};

const SPECIAL = /[%#/~]/;

// Replay asks for each step, and hardly any name has such characters: looking is much cheaper than replacing.
const escapeName = (name: string): string =>
  SPECIAL.test(name)
    ? name.replaceAll(/[%#/~]/g, (character) => ESCAPES[character] ?? character)
    : name;

/**
 * The key of the n-th use of a name in a run: `poll`, `poll#2`, `poll#3`.
 *
 * @param occurrence 1-based
 */
export const toStepKey = (name: string, occurrence: number): string =>
  occurrence === 1 ? escapeName(name) : `${escapeName(name)}#${occurrence}`;
