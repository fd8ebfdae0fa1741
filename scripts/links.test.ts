import { existsSync } from "node:fs";
import { posix } from "node:path";
import { expect, test } from "vitest";
import { listFiles, readProjectFile, ROOT } from "./project-files.ts";

/** Targets inside the repository, without their anchors. */
function readLinks(text: string): string[] {
  const prose = text.replaceAll(/```.*?```/gs, "");
  return [...prose.matchAll(/\]\((?<target>[^)\s]+)\)/g)]
    .map(({ groups }) => groups?.["target"] ?? "")
    .filter((target) => !/^(?:[a-z]+:|#)/.test(target))
    .map((target) => target.replace(/#.*$/, ""));
}

test("every link between the pages leads to a file", () => {
  const broken = listFiles((path) => path.endsWith(".md")).flatMap((page) =>
    readLinks(readProjectFile(page))
      .filter((target) => !existsSync(posix.join(ROOT, posix.dirname(page), target)))
      .map((target) => `${page}: ${target}`),
  );
  expect(broken).toEqual([]);
});
