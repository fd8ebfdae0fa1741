/** The workflows of the repository's host: what a release's provenance rests on. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { ROOT } from "./project-files.ts";

const FOLDER = join(ROOT, ".github/workflows");
const WORKFLOWS = readdirSync(FOLDER).map((name) => ({
  name,
  text: readFileSync(join(FOLDER, name), "utf8"),
}));

test.each(WORKFLOWS)("$name uses actions at a commit, and keeps no credentials", ({ text }) => {
  const used = [...text.matchAll(/uses: (?<action>\S+)(?<version>.*)/gu)];
  expect(used.length).toBeGreaterThan(0);
  for (const [, action, version] of used) {
    expect(action).toMatch(/@[0-9a-f]{40}$/u);
    expect(version).toMatch(/^ # v\d+\.\d+\.\d+$/u);
  }
  const checkouts = text.match(/actions\/checkout@/gu)?.length ?? 0;
  expect(text.match(/persist-credentials: false/gu)).toHaveLength(checkouts);
});

test("one job may ask for an identity, and it installs nothing but npm", () => {
  const asking = WORKFLOWS.filter(({ text }) => text.includes("id-token: write"));
  expect(asking.map(({ name }) => name)).toEqual(["publish.yml"]);
  const [before = "", after = ""] = asking[0]?.text.split("\n  publish:\n") ?? [];
  expect(before).not.toContain("id-token");
  const commands = [...after.matchAll(/- run: (?<command>.*)/gu)].map(([, command]) => command);
  expect(commands).toEqual([
    expect.stringMatching(/^npm install --global npm@\d+\.\d+\.\d+$/u),
    'node scripts/publish.mjs packed "${GITHUB_REF_NAME#v}" --provenance',
  ]);
});

test("the workflows run what package.json and the repository have", () => {
  const text = WORKFLOWS.map((one) => one.text).join("\n");
  for (const [, script = ""] of text.matchAll(/npm run (?<script>\S+)/gu))
    expect(Object.keys(manifest.scripts)).toContain(script);
});
