/** The repository's own files: what every check reads. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Absolute path of the repository. */
export const ROOT: string = resolve(fileURLToPath(new URL("..", import.meta.url)));

/** By name; `.git` is a file where the checkout is a worktree. */
const SKIPPED = new Set(["node_modules", ".git", "dist", "coverage", ".cache"]);
const SKIPPED_PATHS = new Set(["examples/orders/run"]);

/** Paths of all files, relative to the repository, with forward slashes, sorted. Generated output is left out. */
export function listFiles(matches: (path: string) => boolean, root: string = ROOT): string[] {
  const found: string[] = [];
  const pending = [root];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const absolute = join(folder, entry.name);
      const path = relative(root, absolute).split(sep).join("/");
      if (SKIPPED.has(entry.name)) continue;
      if (entry.isDirectory()) {
        if (!SKIPPED_PATHS.has(path)) pending.push(absolute);
      } else if (entry.isFile() && matches(path)) found.push(path);
    }
  }
  return found.toSorted();
}

/** Text of a file given by its path in the repository. */
export function readProjectFile(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** True for tests and type tests. */
export function isTestFile(path: string): boolean {
  return /\.(test|test-d)\.ts$/.test(path);
}

/** True for tests and for what they share: files whose names begin with `testing-`. */
export function isOfTests(path: string): boolean {
  return isTestFile(path) || /\/testing-[^/]+$/.test(path);
}

/** Line number (from 1) of an offset in a text. */
export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
