/** Snippets that are parts of compiled files: an example's page shows its own code. */
import { isTestFile, listFiles, readProjectFile } from "../../../scripts/project-files.ts";
import type { Snippet } from "./read-snippets.ts";

/** Without indentation, because a page may show an inner part. */
const flatten = (code: string): string => code.replaceAll(/^\s+/gm, "").trim();

/** Gives the example's file that a snippet is a part of, which the repository's own compiler run covers. */
export function createExcerptFinder(): (snippet: Snippet) => string | undefined {
  const files = listFiles(
    (path) =>
      /^examples\/[^/]+\/src\/.*\.ts$/.test(path) &&
      (!isTestFile(path) || path.endsWith(".scenario.test.ts")),
  ).map((path) => ({ path, text: flatten(readProjectFile(path)) }));
  return ({ code }) => files.find(({ text }) => text.includes(flatten(code)))?.path;
}
