/** Records of many processes in one file, a line of JSON each. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** Appends one line at once: `O_APPEND` keeps lines of many processes whole and in order. */
export function appendLine(path: string, record: object): void {
  appendFileSync(path, `${JSON.stringify(record)}\n`);
}

/** All records so far, in order. */
export function readLines(path: string): readonly unknown[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));
}
