/** Rows that the workflow writes, from the page that a libSQL server's counts are kept in. */
import { readFileSync } from "node:fs";

const PAGE = new URL("../../../docs/rows.md", import.meta.url);

/** With the lean indexes, which are the default where rows are billed. */
export function readRowsWritten(): number {
  const row = /these together: a workflow\*\*\s*\|\s*(?<lean>\d+)/.exec(readFileSync(PAGE, "utf8"));
  return Number(row?.groups?.["lean"] ?? Number.NaN);
}
