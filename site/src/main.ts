/**
 * The documentation's site.
 *
 *   npm run site          writes the pages and serves them, again whenever a page changes
 *   npm run site:build    writes the pages and builds the site into site/dist
 */
import { spawn } from "node:child_process";
import { watch } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../scripts/project-files.ts";
import { writePages, writeRepositoryPages } from "./pages/write-pages.ts";

const [command = "build", ...options] = process.argv.slice(2);
console.log(`${writePages()} pages`);
if (command === "dev") {
  for (const folder of ["docs", "packages", "adapters", "examples"]) watchPages(folder);
}
const vitepress = join(ROOT, "site/node_modules/vitepress/bin/vitepress.js");
const child = spawn(process.execPath, [vitepress, command, ...options], {
  cwd: join(ROOT, "site"),
  stdio: "inherit",
});
process.once("SIGTERM", () => child.kill());
child.once("close", (code) => {
  process.exit(code ?? 1);
});

function watchPages(folder: string): void {
  watch(join(ROOT, folder), { recursive: true }, (_event, path) => {
    if (path?.endsWith(".md") === true && !path.includes("node_modules")) writeRepositoryPages();
  });
}
