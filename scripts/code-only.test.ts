import { expect, test } from "vitest";
import { isTestFile, lineOf, listFiles, readProjectFile } from "./project-files.ts";

/** Ways to run code that was not there when the program was written. */
const EVALUATION =
  /\beval\s*\(|\bnew\s+Function\s*\(|(?<![\w.])Function\s*\(|\bimport\s*\((?!\s*["'])|\bcreateRequire\b|\bvm\.(?:run|Script)/g;

/** One of three names that stand in the same file: bundlers would follow them were they written into the import. */
const DRIVERS = "packages/engine/src/databases/sqlite-drivers.ts";

/** A file of this machine that the person at the shell names, as to `node` itself; never a URL, and nothing of a request. */
const NAMED_AT_A_SHELL = "packages/cli/src/connect.ts";

const isPublishedSource = (path: string): boolean =>
  /^(?:packages|adapters)\/[^/]+\/src\/.*\.ts$/.test(path) &&
  !isTestFile(path) &&
  !/\/testing\b/.test(path);

test("S0-063 workflows are registered in code: no published source evaluates text or imports a module by a computed name", () => {
  const sources = listFiles(isPublishedSource);
  expect(sources.length).toBeGreaterThan(200);
  const found = sources.flatMap((path) => {
    const text = readProjectFile(path);
    return [...text.matchAll(EVALUATION)].map(({ 0: call, index }) => {
      return `${path}:${lineOf(text, index)}: ${call}`;
    });
  });
  expect(found.toSorted()).toEqual([
    expect.stringContaining(`${NAMED_AT_A_SHELL}:`),
    expect.stringContaining(`${DRIVERS}:`),
  ]);
  const [asked] = /\bimport\((?!")[^\n]*/.exec(readProjectFile(NAMED_AT_A_SHELL)) ?? [];
  expect(asked).toMatch(/^import\(pathToFileURL\(resolve\(path\)\)\.href\)/);
  const named = [...readProjectFile(DRIVERS).matchAll(/\bload<.*>\(([^)]*)\)/g)];
  expect(named.map(([, name]) => name)).toEqual(['"bun:sqlite"', '"libsql"', '"node:sqlite"']);
});
