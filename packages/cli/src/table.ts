/** Tables of plain text that fit a terminal. */
import { toPlainText } from "./plain-text.ts";

/** A column. */
export interface Column {
  readonly title: string;
  /** Whether its cells may be cut on a narrow terminal. Text that people copy into the next command may not. */
  readonly mayBeCut: boolean;
}

const GAP = "  ";
/** No column is cut below this, however narrow the terminal is. */
const LEAST_WIDTH = 8;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]|\p{Emoji_Presentation}/u;
const NO_WIDTH = /\p{Mark}/u;

/**
 * The lines of a table: titles, then rows. Columns without text in any row are left out.
 *
 * @param width characters per line; null: unlimited
 */
export function toTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number | null,
): string {
  const cells = rows.map((row) => row.map(toPlainText));
  const shown = columns
    .map((column, index) => ({ ...column, texts: cells.map((row) => row[index] ?? "") }))
    .filter(({ texts }) => texts.some((text) => text !== ""));
  const widths = fit(shown, width);
  const toLine = (texts: readonly string[]): string =>
    texts.map((text, index) => toWidth(text, widths[index] ?? 0)).join(GAP);
  const lines = [
    shown.map(({ title }) => title),
    ...cells.map((_, row) => shown.map(({ texts }) => texts[row] ?? "")),
  ];
  return lines.map((texts) => `${toLine(texts).trimEnd()}\n`).join("");
}

/** Shortens the widest column that may be cut until all fit. */
function fit(
  columns: readonly (Column & { readonly texts: readonly string[] })[],
  width: number | null,
): number[] {
  const widths = columns.map(({ title, texts }) => Math.max(...[title, ...texts].map(widthOf)));
  if (width === null) return widths;
  const excess = (): number => sum(widths) + GAP.length * (widths.length - 1) - width;
  while (excess() > 0) {
    const cuttable = widths.map((each, index) => (columns[index]?.mayBeCut === true ? each : 0));
    const widest = Math.max(...cuttable);
    if (widest <= LEAST_WIDTH) return widths;
    const next = Math.max(LEAST_WIDTH, ...cuttable.filter((each) => each < widest));
    const least = next < widest ? next : widest - 1;
    widths[cuttable.indexOf(widest)] = Math.max(least, widest - excess());
  }
  return widths;
}

const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, each) => total + each, 0);

function toWidth(text: string, width: number): string {
  const missing = width - widthOf(text);
  if (missing >= 0) return text + " ".repeat(missing);
  let cut = "";
  let used = 0;
  for (const character of text) {
    const next = used + widthOf(character);
    if (next > width - 1) break;
    cut += character;
    used = next;
  }
  return `${cut}…${" ".repeat(width - 1 - used)}`;
}

/** How many columns of a terminal a text takes. */
function widthOf(text: string): number {
  if (/^[\u0020-\u007e]*$/.test(text)) return text.length;
  return sum(Array.from(text, widthOfCharacter));
}

function widthOfCharacter(character: string): number {
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
