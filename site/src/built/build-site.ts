/** The built site, for tests that look at what readers get. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listFiles, ROOT } from "../../../scripts/project-files.ts";

/** Absolute path of the files that `npm run site:build` writes. */
export const BUILT_FOLDER: string = join(ROOT, "site/dist");

/** Builds the site as `npm run site:build` does. Rejects with what VitePress says, for instance of a dead link. */
export function buildSite(): Promise<void> {
  const child = spawn(process.execPath, ["--import", "tsx", "site/src/main.ts", "build"], {
    cwd: ROOT,
    // Vitest's own `test` would make it a build for development.
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return new Promise((resolve, reject) => {
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(output));
    });
  });
}

/** Text of every built page, by its path as readers ask for it: `/deploy/node`, `/errors/`. */
export function readBuiltPages(): ReadonlyMap<string, string> {
  const files = listFiles((path) => path.endsWith(".html"), BUILT_FOLDER);
  return new Map(
    files.map((path) => [
      `/${path.replace(/(?:(?<=^|\/)index)?\.html$/, "")}`,
      readFileSync(join(BUILT_FOLDER, path), "utf8"),
    ]),
  );
}
