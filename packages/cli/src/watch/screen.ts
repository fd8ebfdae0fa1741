/** Shows looks: on a terminal, each replaces the one before; otherwise each is printed if something has changed. */
import { toPlainJson } from "../plain-text.ts";
import type { Session } from "../session.ts";
import type { Look } from "./watch.ts";

/** Erases the screen and moves to its first line; the scrolled part stays. */
const ERASE = "\u001b[2J\u001b[H";
const DEFAULT_ROWS = 24;

/** @param seconds between two looks */
export function createScreen(
  { isJson, write }: Pick<Session, "isJson" | "write">,
  seconds: number,
): { show(look: Look): void } {
  const isTerminal = process.stdout.isTTY && !isJson;
  let before: string | null = null;
  const show = ({ answer, text }: Look): void => {
    if (isTerminal) return write(ERASE + toDrawing(text, seconds, process.stdout.rows));
    const now = isJson ? `${toPlainJson(answer, 0)}\n` : text;
    if (now === before) return;
    write(before === null || isJson ? now : `\n${now}`);
    before = now;
  };
  return { show };
}

/** As many lines as the terminal has; the last one is the state of the watch. */
export function toDrawing(text: string, seconds: number, rows: number = DEFAULT_ROWS): string {
  const lines = text.trimEnd().split("\n");
  const shown = lines.slice(0, Math.max(rows - 2, 1));
  const hidden = lines.length - shown.length;
  const cut = hidden === 0 ? "" : `… ${hidden} more lines. `;
  return `${shown.join("\n")}\n${cut}Every ${seconds} s, until Ctrl-C.\n`;
}
