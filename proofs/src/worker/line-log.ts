/** Records of many processes in one file, a line of JSON each. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";

/**
 * Appends one line at once: `O_APPEND` keeps lines of many processes in order. It begins with a line break too, so that
 * what a killed process could not finish stays on a line of its own.
 */
export function appendLine(path: string, record: object): void {
  appendFileSync(path, `\n${JSON.stringify(record)}\n`);
}

/** All records so far, in order, without those that are not finished. */
export function readLines(path: string): readonly unknown[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.filter((line) => line.endsWith("}")).map((line): unknown => JSON.parse(line));
}
