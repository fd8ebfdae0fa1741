/** Errors, and what the console was told of them. */
import { vi } from "vitest";

/** A line of the console. */
export interface Line {
  readonly level: string;
  readonly event: string;
  readonly [field: string]: unknown;
}

/** Lines of the default logger. */
export function listenToConsole(): Line[] {
  const lines: Line[] = [];
  for (const level of ["debug", "info", "warn", "error"] as const)
    vi.spyOn(console, level).mockImplementation(
      (line: string) => void lines.push(JSON.parse(line) as Line),
    );
  return lines;
}
