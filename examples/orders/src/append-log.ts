/** A file of JSON lines that only grows. What is appended survives the death of the process. */
import { ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { codeOf } from "./demo-error.ts";

export interface AppendLog<T> {
  /** Returns once the line is with the operating system. */
  append(entry: T): void;
}

/**
 * Opens a file for appending. A last line that was not finished, because the process died over it, is cut off.
 *
 * @param replay given each entry that is there already, oldest first
 */
export function openLog<T>(path: string, replay: (entry: T) => void): AppendLog<T> {
  const lines = completeLines(path);
  const file = openSync(path, "a");
  let sizeBytes = Buffer.byteLength(lines.map((line) => `${line}\n`).join(""));
  ftruncateSync(file, sizeBytes);
  for (const line of lines) replay(JSON.parse(line) as T);
  return {
    append: (entry) => {
      const line = Buffer.from(`${JSON.stringify(entry)}\n`);
      const written = writeSync(file, line);
      if (written < line.byteLength) {
        // On a full disk a write may end half-way: what comes next must not stick to it.
        ftruncateSync(file, sizeBytes);
        throw new Error(`ENOSPC: no space left on device, write '${path}'`);
      }
      sizeBytes += written;
    },
  };
}

function completeLines(path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8").split("\n").slice(0, -1);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}
