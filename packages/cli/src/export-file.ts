/** Tells files from `escapement export` from SQLite files by their content. */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { extname } from "node:path";

/** The first line of an export is a JSON object; a SQLite file begins with "SQLite format 3". A missing file is not an export. */
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
