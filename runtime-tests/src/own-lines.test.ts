/** How much somebody writes for a platform: counted in its page, and shown by the page of all platforms. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readPage } from "./pages/read-page.ts";

const NAMES = ["node", "bun", "deno", "aws-lambda", "vercel", "netlify", "cloudflare"] as const;
/** The workflow is the same everywhere. `deploy.ts` is a list of settings, and a table column of its own. */
const isProgram = (path: string): boolean =>
  /\.m?ts$/.test(path) && !/workflow\.ts$|^deploy\./.test(path);
const isDeployment = (path: string): boolean => path.startsWith("deploy.");
const platforms = readFileSync(new URL("../../docs/platforms.md", import.meta.url), "utf8");

function countLines(name: string, counts: (path: string) => boolean) {
  const files = readPage(`docs/deploy/${name}.md`).files.filter(({ path }) => counts(path));
  const lines = files.flatMap(({ text }) => text.split("\n").filter((line) => line.trim() !== ""));
  const imports = lines.filter((line) => line.startsWith("import "));
  return { files: files.length, lines: lines.length, own: lines.length - imports.length };
}

test.each(NAMES)("%s asks for at most 12 lines of your own beside imports", (name) => {
  const program = countLines(name, isProgram);
  const deployment = countLines(name, isDeployment);
  expect(program.own).toBeLessThanOrEqual(12);
  const row = [program.own, program.lines, program.files, deployment.lines].join(" \\| +");
  expect(platforms).toMatch(
    new RegExp(`^\\| \\[.+\\]\\(deploy/${name}\\.md\\) +\\| +${row} +\\|$`, "m"),
  );
});
