/** JSON on the command line: the text itself, a file, or standard input. */
import { readFileSync } from "node:fs";
import { UsageError } from "./errors.ts";

const STANDARD_INPUT = 0;

/** What `--help` says of such an argument. */
export const JSON_ARGUMENT = "JSON; @file reads a file, - reads standard input";

/** @param text JSON; `@path`: a file's; `-`: of standard input @throws {UsageError} */
export function parseJsonArgument(text: string): unknown {
  const source = readSource(text);
  try {
    return JSON.parse(source) as unknown;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `${nameOf(text)} is not JSON: ${reason}. In a shell, quote it: '{"sku":"tea"}'; a text needs its own quotes: '"tea"'`,
    );
  }
}

function readSource(text: string): string {
  if (text !== "-" && !text.startsWith("@")) return text;
  try {
    return readFileSync(text === "-" ? STANDARD_INPUT : text.slice(1), "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${nameOf(text)} cannot be read: ${reason}`);
  }
}

function nameOf(text: string): string {
  if (text === "-") return "standard input";
  return text.startsWith("@") ? text.slice(1) : "the argument";
}
