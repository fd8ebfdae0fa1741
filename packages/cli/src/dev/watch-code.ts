/** Watches the code of a project, folder by folder, without its packages. */
import { type FSWatcher, readdirSync, statSync, watch } from "node:fs";
import { extname, join, relative } from "node:path";

/** The most folders: watching a whole disk helps nobody. */
const MOST_FOLDERS = 1000;
/** Editors write a file in several steps. */
const SETTLE_MS = 80;

const CODE: ReadonlySet<string> = new Set(".ts .tsx .mts .cts .js .jsx .mjs .cjs .json".split(" "));
const LEFT_OUT = /^(?:\..*|node_modules|dist|build|coverage)$/;

/** @param onChange is given one of the changed files, below the root @returns a function that stops it */
export function watchCode(root: string, onChange: (path: string) => void): () => void {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  const tell = (path: string): void => {
    clearTimeout(timer);
    timer = setTimeout(() => onChange(relative(root, path)), SETTLE_MS);
  };
  const add = (folder: string): void => {
    if (watchers.has(folder) || watchers.size >= MOST_FOLDERS) return;
    const watcher = tryWatch(folder, (name) => {
      const path = join(folder, name);
      if (CODE.has(extname(name))) tell(path);
      else if (!LEFT_OUT.test(name) && isFolder(path)) add(path);
    });
    if (watcher === null) return;
    watchers.set(folder, watcher);
    watcher.on("error", () => watchers.delete(folder));
    for (const inner of foldersIn(folder)) add(inner);
  };
  add(root);
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.close();
  };
}

/** null: the folder is gone, or the machine allows no more watches. */
function tryWatch(folder: string, onName: (name: string) => void): FSWatcher | null {
  try {
    return watch(folder, (_event, name) => {
      if (name !== null) onName(name);
    });
  } catch {
    return null;
  }
}

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !LEFT_OUT.test(entry.name))
      .map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
