import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PLATFORMS, PLATFORMS_FOLDER } from "./platforms.ts";

const HEADINGS = [
  "Install",
  "Run locally",
  "Deploy",
  "Wake path",
  "Limits, with dates",
  "Costs to watch",
  "What cannot be verified before deploying",
];
const read = (path: string): string => readFileSync(`${PLATFORMS_FOLDER}${path}`, "utf8");
const WORKFLOW = read("node/src/workflow.ts");

test("all seven platforms are here", () => {
  const all = ["aws-lambda", "bun", "cloudflare", "deno", "netlify", "node", "vercel"];
  expect(PLATFORMS).toEqual(all);
});

test.each(PLATFORMS)("%s has the workflow of all the others, byte for byte", (name) => {
  expect(read(`${name}/src/workflow.ts`)).toBe(WORKFLOW);
});

test.each(PLATFORMS)(
  "the page of %s answers the same seven questions in the same order",
  (name) => {
    const headings = [...read(`${name}/README.md`).matchAll(/^## (.+)$/gm)].map(
      ([, title]) => title,
    );
    expect(headings).toEqual(HEADINGS);
  },
);

test("the workflow imports the engine and a schema library, and nothing of a platform", () => {
  const imports = [...WORKFLOW.matchAll(/^import .* from "(.+)";$/gm)].map(([, from]) => from);
  expect(imports).toEqual(["@escapement/engine", "valibot"]);
});
