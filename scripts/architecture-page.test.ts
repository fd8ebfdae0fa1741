/** The page about the architecture says where the code is. */
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { isOfTests, listFiles, readProjectFile, ROOT } from "./project-files.ts";

const SOURCE = "packages/engine/src";
/** What paths on the page may begin with. */
const BASES = [SOURCE, "packages/db/src", ""];

const page = readProjectFile("docs/architecture.md");
const sources = listFiles((path) => /^packages\/[^/]+\/src\/.*\.ts$/u.test(path));

/** The folder of each section "file by file", and the files in the first column of its table. */
const listed = page.split(/^## /mu).flatMap((section) => {
  const folder = /^`(?<folder>[^`]+)\/`, file by file/u.exec(section)?.groups?.["folder"];
  if (folder === undefined) return [];
  const cells = section.split("\n").filter((line) => line.startsWith("| `"));
  const files = cells.flatMap((line) => line.split("|")[1]?.match(/(?<=`)[^`/]+\.ts(?=`)/gu) ?? []);
  return [{ folder, files: files.toSorted() }];
});

test.each(listed)("the page lists each file of $folder, and no other", ({ folder, files }) => {
  const there = sources.filter((path) => dirname(path) === `${SOURCE}/${folder}`);
  expect(files).toEqual(there.filter((path) => !isOfTests(path)).map((path) => basename(path)));
});

test("each path that the page names leads to a file", () => {
  const paths = page.match(/(?<=`)[a-z-]+(?:\/[a-z-]+)+\.ts(?=`)/gu) ?? [];
  const isThere = (path: string): boolean =>
    BASES.some((base) => existsSync(join(ROOT, base, path)));
  expect(paths.length).toBeGreaterThan(50);
  expect(paths.filter((path) => !isThere(path))).toEqual([]);
});

test("each name in parentheses after a file is in that file", () => {
  const named = [...page.matchAll(/`([a-z/-]+\.ts)` \(`([A-Za-z]+)`\)/gu)];
  const isThere = ([, file = "", name = ""]: readonly string[]): boolean =>
    sources
      .filter((path) => path.endsWith(`/${file}`))
      .some((path) => new RegExp(`\\b${name}\\b`, "u").test(readProjectFile(path)));
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((match) => !isThere(match)).map(([text]) => text)).toEqual([]);
});
