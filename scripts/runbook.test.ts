import { expect, test } from "vitest";
import { listFiles, readProjectFile } from "./project-files.ts";

const PAGES = ["docs/guides/runbook.md", "docs/guides/operations.md"];

const sources = listFiles(
  (path) =>
    /^(packages|adapters)\/[^/]+\/src\/.*\.ts$/u.test(path) && !/test|\/migrations\//u.test(path),
)
  .map(readProjectFile)
  .join("\n");

test.each(PAGES)("%s names only metrics that there are", (page) => {
  const metrics = readProjectFile(page).match(/\bescapement_[a-z_]+\b/gu) ?? [];
  const names = new Set(metrics.map((name) => name.replace(/_(?:bucket|sum|count)$/u, "")));
  expect(
    [...names].filter((name) => !sources.includes(`"${name.replace("escapement_", "")}"`)),
  ).toEqual([]);
});

test.each(PAGES)("%s names only lines of the log that there are", (page) => {
  const words = readProjectFile(page).matchAll(
    /`((?:claim|commit|database|history|http|listener|loop|run|schedule|step|tick|wake|workflow)\.[a-z_]+)`/gu,
  );
  const events = new Set(
    [...words].map(([, name = ""]) => name).filter((name) => !AUTHORS.has(name)),
  );
  expect([...events].filter((name) => !sources.includes(`"${name}"`))).toEqual([]);
});

test("each warning and error of the log is explained on the page of operations", () => {
  const written = sources.matchAll(
    /(?:\blog\(\s*"(?:warn|error)",|\bwarn\()\s*"(?<line>[a-z]+\.[a-z_]+)"/gu,
  );
  const lines = new Set([...written].map(({ groups }) => groups?.["line"] ?? ""));
  const page = readProjectFile("docs/guides/operations.md");
  expect(lines.size).toBeGreaterThan(25);
  expect([...lines].filter((line) => !page.includes(`\`${line}\``)).toSorted()).toEqual([]);
});

test("S8-018 the runbook's alarms have each an entry, which begins with its name", () => {
  const page = readProjectFile("docs/guides/runbook.md");
  const alarms = [...page.matchAll(/- alert: (\w+)/gu)].map(([, name = ""]) => name);
  expect(alarms.length).toBeGreaterThan(4);
  const heads = page.split(/^#{2,3} .*$/mu).map((entry) => entry.trim().split("\n")[0] ?? "");
  for (const alarm of alarms)
    expect(heads.filter((head) => head.includes(`\`${alarm}\``))).toHaveLength(1);
});

/** What authors call looks the same. */
const AUTHORS = new Set(["step.do", "step.loop", "step.version", "step.removed", "step.callback"]);
