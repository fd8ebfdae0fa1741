import { existsSync } from "node:fs";
import { posix } from "node:path";
import { expect, test } from "vitest";
import { listHeadingIds, toHeadingId, withoutCode } from "./heading-ids.ts";
import { listFiles, readProjectFile, ROOT } from "./project-files.ts";

interface Link {
  readonly page: string;
  readonly target: string;
  /** Path in the repository that it leads to. */
  readonly path: string;
  /** Of a heading, or empty. */
  readonly id: string;
}

/** Links of a page that stay inside the repository. */
function readLinks(page: string): Link[] {
  return [...withoutCode(readProjectFile(page)).matchAll(/\]\((?<target>[^)\s]+)\)/g)]
    .map(({ groups }) => groups?.["target"] ?? "")
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = "", id = ""] = target.split("#");
      const path = file === "" ? page : posix.join(posix.dirname(page), file);
      return { page, target, path, id };
    });
}

/** A template's links are those of the project that is made of it: `templates.test.ts` of create-escapement. */
const isPage = (path: string): boolean => path.endsWith(".md") && !path.includes("/templates/");
const links = listFiles(isPage).flatMap((page) => readLinks(page));
const describeLink = ({ page, target }: Link): string => `${page}: ${target}`;

test("S8-017 every link between the pages leads to a file", () => {
  expect(links.length).toBeGreaterThan(400);
  const broken = links.filter(({ path }) => !existsSync(posix.join(ROOT, path)));
  expect(broken.map((link) => describeLink(link))).toEqual([]);
});

test("S8-017 a link that names a heading leads to one", () => {
  const named = links.filter(({ path, id }) => id !== "" && path.endsWith(".md"));
  expect(named.length).toBeGreaterThan(10);
  const broken = named.filter(({ path, id }) => !listHeadingIds(readProjectFile(path)).has(id));
  expect(broken.map((link) => describeLink(link))).toEqual([]);
});

test("headings get the ids that the code host gives them", () => {
  expect(toHeadingId("Deno, Deno Deploy: `start()` & [more](x.md)")).toBe(
    "deno-deno-deploy-start--more",
  );
  expect([...listHeadingIds("# A\n```\n# no\n```\n## A\n")]).toEqual(["a", "a-1"]);
});
