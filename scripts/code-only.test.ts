import { expect, test } from "vitest";
import { isTestFile, lineOf, listFiles, readProjectFile } from "./project-files.ts";

/** Ways to run code that was not there when the program was written. A verb of ours is called import too: as a member, and with typed parameters where it is declared. */
const EVALUATION =
  /\beval\s*\(|\bnew\s+Function\s*\(|(?<![\w.])Function\s*\(|(?<![.\w])import\s*\((?!\s*["']|\w+\??:)|\bcreateRequire\b|\bvm\.(?:run|Script)/g;

/** One of five names that stand in the same file: bundlers would follow them were they written into the import. */
const DRIVERS = "packages/engine/src/databases/sqlite-drivers.ts";

/** A file of this machine that the person at the shell names, as to `node` itself; never a URL, and nothing of a request. */
const NAMED_AT_A_SHELL = "packages/cli/src/project.ts";

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
    expect.stringMatching(new RegExp(`^${NAMED_AT_A_SHELL}:.*createRequire$`)),
    expect.stringMatching(new RegExp(`^${NAMED_AT_A_SHELL}:.*createRequire$`)),
    expect.stringMatching(new RegExp(`^${NAMED_AT_A_SHELL}:.*import\\($`)),
    expect.stringContaining(`${DRIVERS}:`),
  ]);
  const shell = readProjectFile(NAMED_AT_A_SHELL);
  const [asked] = /\bimport\((?!")[^\n]*/.exec(shell) ?? [];
  expect(asked).toMatch(/^import\(pathToFileURL\(resolve\(path\)\)\.href\)/);
  // Where a package is, is asked; what is there is imported as any file is.
  expect(shell.match(/createRequire\(.*/g)).toEqual(["createRequire(from).resolve(specifier);"]);
  const named = [...readProjectFile(DRIVERS).matchAll(/\bload<.*>\(\s*([^),]*?),?\s*\)/g)];
  expect(named.map(([, name]) => name)).toEqual([
    '"node:path"',
    '"node:fs"',
    '"bun:sqlite"',
    '"libsql"',
    '"node:sqlite"',
  ]);
});
