import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A directory of our own; it is removed by `remove`, or when the process ends normally. */
export interface TemporaryDirectory {
  readonly path: string;
  remove(): void;
}

const directories = new Set<string>();
let cleansUpAtExit = false;

/** Makes an empty directory under `parent`, by default the system's temporary directory; owned by `owner` if given. */
export function temporaryDirectory(
  owner?: { readonly uid: number; readonly gid: number } | null,
  parent: string = tmpdir(),
): TemporaryDirectory {
  if (!cleansUpAtExit) process.once("exit", () => directories.forEach(removeDirectory));
  cleansUpAtExit = true;
  const path = mkdtempSync(join(parent, "escapement-"));
  directories.add(path);
  if (owner !== undefined && owner !== null) chownSync(path, owner.uid, owner.gid);
  return {
    path,
    remove: () => {
      directories.delete(path);
      removeDirectory(path);
    },
  };
}

function removeDirectory(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 3 });
}
