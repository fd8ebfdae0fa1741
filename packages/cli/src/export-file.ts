/** Files that `escapement export` wrote, told from SQLite files by what they hold. */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { extname } from "node:path";

/** Its first line is an object of JSON; a SQLite file begins with "SQLite format 3". A file that is missing is none. */
export function isExportFile(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
  return extname(path) === ".jsonl" || firstByte(path) === "{";
}

function firstByte(path: string): string {
  const file = openSync(path, "r");
  try {
    const byte = Buffer.alloc(1);
    return byte.toString("latin1", 0, readSync(file, byte));
  } finally {
    closeSync(file);
  }
}
