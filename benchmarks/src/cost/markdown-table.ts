/** A table as the formatter leaves it: columns of text to the left, of figures to the right. */

type Row = readonly string[];

/** @param textColumns how many of the first columns are text */
export function toAlignedTable(head: Row, body: readonly Row[], textColumns = 1): string {
  const rows = [head, ...body];
  const widths = head.map((_cell, column) =>
    Math.max(3, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const pad = (cell: string, column: number): string => {
    const width = widths[column] ?? 0;
    return column < textColumns ? cell.padEnd(width) : cell.padStart(width);
  };
  const rule = widths.map((width, column) =>
    column < textColumns ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  const lines = [head.map(pad), rule, ...body.map((row) => row.map(pad))];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

export const toDollars = (dollars: number): string =>
  dollars === 0 ? "0" : dollars.toFixed(dollars < 10 ? 2 : dollars < 100 ? 1 : 0);

export const toMs = (ms: number | undefined): string => {
  if (ms === undefined) return "–";
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
};
