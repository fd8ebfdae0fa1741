/** A file system of its own with little room, for tests of full disks. */
import { execFileSync } from "node:child_process";
import { chmodSync, closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "./temporary-directory.ts";

export interface SmallDisk {
  /** Where it is mounted. */
  readonly path: string;
  /** Takes all the room that is left. */
  fill(): void;
  /** Gives that room back. */
  free(): void;
  remove(): void;
}

/** Mounts one in memory; null where that is not allowed, or does not exist. */
export function mountSmallDisk(sizeMiB: number): SmallDisk | null {
  const directory = temporaryDirectory();
  const { path } = directory;
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeMiB}m,mode=777`, "tmpfs", path], {
      stdio: "ignore",
    });
  } catch {
    directory.remove();
    return null;
  }
  chmodSync(path, 0o777);
  const ballast = join(path, "ballast");
  const unmount = (): void => {
    try {
      // Lazy: a process that is just ending may still hold a file.
      execFileSync("umount", ["-l", path], { stdio: "ignore" });
    } catch {
      // It was unmounted before.
    }
  };
  // Before the directory is removed, which happens at the exit, too.
  process.prependOnceListener("exit", unmount);
  return {
    path,
    fill: () => fillUp(ballast),
    free: () => rmSync(ballast, { force: true }),
    remove() {
      process.off("exit", unmount);
      unmount();
      directory.remove();
    },
  };
}

function fillUp(path: string): void {
  const file = openSync(path, "a");
  try {
    // In smaller and smaller pieces, down to the last byte.
    for (let size = 1 << 20; size >= 1; size >>= 4) writeUntilFull(file, Buffer.alloc(size));
  } finally {
    closeSync(file);
  }
}

function writeUntilFull(file: number, piece: Buffer): void {
  try {
    while (writeSync(file, piece) === piece.byteLength);
  } catch {
    // ENOSPC: what was wanted.
  }
}
