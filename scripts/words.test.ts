/** The glossary's words are the code's. */
import { expect, test } from "vitest";
import { isTestFile, listFiles, readProjectFile } from "./project-files.ts";

const SOURCE = /^(?:packages|adapters)\/[^/]+\/src\/.*\.ts$/;

/** What stands in the last column of the glossary's tables, with the word that is ours. */
const refused = readProjectFile("docs/glossary.md")
  .split("\n")
  .filter((line) => /^\| (?!word|-)/.test(line))
  .flatMap((line) => {
    const [, ours = "", , , notInCode = ""] = line.split("|").map((cell) => cell.trim());
    return (notInCode.match(/(?<=`)[^`,]+(?=`)/g) ?? []).map((theirs) => ({ ours, theirs }));
  });

/** `hand back` is in `handBack`, `HAND_BACK`, `hand-back.ts` and in a sentence, and not in `beforehand backwards`. */
const toPattern = (words: string): RegExp => {
  const [first = "", ...rest] = words.split(" ");
  const parts = rest.map((word) => `[ _-]?${initialOf(word)}${word.slice(1)}`);
  return new RegExp(
    `(?<![a-z])${first}${parts.join("")}(?![a-z])|(?<=[a-z])${capitalize(first)}${parts.join("")}(?![a-z])`,
    "u",
  );
};

const initialOf = (word: string): string => `[${word[0]?.toLowerCase()}${word[0]?.toUpperCase()}]`;

const capitalize = (word: string): string => `${word[0]?.toUpperCase()}${word.slice(1)}`;

test("no name and no comment of a source has a word that the glossary refuses", () => {
  const patterns = refused.map(({ ours, theirs }) => ({
    ours,
    theirs,
    pattern: toPattern(theirs),
  }));
  const found = listFiles((path) => SOURCE.test(path) && !isTestFile(path)).flatMap((path) => {
    const text = `${path}\n${readProjectFile(path)}`;
    return patterns
      .filter(({ pattern }) => pattern.test(text))
      .map(({ ours, theirs }) => `${path}: "${theirs}"; our word is "${ours}"`);
  });
  expect(refused.length).toBeGreaterThan(10);
  expect(found).toEqual([]);
});

test("a refused word is found in names of any kind, and not in the middle of another", () => {
  const pattern = toPattern("hand back");
  for (const text of ["handBack(run)", "const hand_back", "hand-back.ts", "to hand back a run"])
    expect(pattern.test(text), text).toBe(true);
  expect(toPattern("lane").test("expiredLane")).toBe(true);
  expect(toPattern("lane").test("planes of a lanes")).toBe(false);
});
