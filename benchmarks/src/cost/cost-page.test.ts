/** `docs/cost.md` is made from kept counts, dated prices and `docs/rows.md`. */
import { expect, test } from "vitest";
import { renderCostPage } from "./cost-page.ts";
import kept from "./counts.json" with { type: "json" };
import { PRICES } from "./price-list.ts";
import { readRowsWritten } from "./rows-written.ts";

test("docs/cost.md is what the counts and the prices come to; `--update` writes it anew", async () => {
  const page = renderCostPage({ counts: kept, rowsWritten: readRowsWritten() });
  await expect(page).toMatchFileSnapshot("../../../docs/cost.md");
});

test("each price names where it was read, and the day or month of that copy unless it was not found", () => {
  for (const [name, { dollars, source, copiedOn }] of Object.entries(PRICES)) {
    expect(dollars, name).toBeGreaterThan(0);
    expect(source, name).not.toBe("");
    if (copiedOn === null) expect(source, name).toContain("not found");
    else expect(copiedOn, name).toMatch(/^20\d\d-\d\d(-\d\d)?(, 20\d\d-\d\d(-\d\d)?)?$/);
  }
});
