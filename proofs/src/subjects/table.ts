/** A table as the formatter leaves it: the first column to the left, numbers to the right. */
export function toTable(rows: readonly (readonly (string | number)[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_cell, column) =>
    Math.max(...rows.map((cells) => String(cells[column]).length)),
  );
  const pad = (cell: string | number, column: number): string =>
    column === 0 ? String(cell).padEnd(widths[0] ?? 0) : String(cell).padStart(widths[column] ?? 0);
  const rule = widths.map((width, column) =>
    column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  const [head = "", ...body] = rows.map((cells) => `| ${cells.map(pad).join(" | ")} |`);
  return [head, `| ${rule.join(" | ")} |`, ...body];
}
