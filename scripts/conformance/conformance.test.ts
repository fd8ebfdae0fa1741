import { expect, test } from "vitest";
import { renderPage } from "./page.ts";
import { judgeConformance, type TestReport } from "./report.ts";
import { findRowIds } from "./row-ids.ts";
import { loadNotes, loadRows } from "./rows.ts";

test.each([
  ["S0-087 twenty runners share the work", ["S0-087"]],
  ["a late event does not complete the wait [S2-043]", ["S2-043"]],
  ["S0-143, S0-149 batch", ["S0-143", "S0-149"]],
  ["S0-143, 149 and 150 batch", ["S0-143", "S0-149", "S0-150"]],
  ["S0-001…S0-004", ["S0-001", "S0-002", "S0-003", "S0-004"]],
  ["S0-001..003, S2-010", ["S0-001", "S0-002", "S0-003", "S2-010"]],
  ["S0-145/146/147 answer", ["S0-145", "S0-146", "S0-147"]],
  ["(S0-164) 1024 steps", ["S0-164"]],
  ["S0-164, 1024 steps", ["S0-164"]],
  ["no row here", []],
  // The title must not show the name: the ids in it would count as proven by this test.
])("ids are read from a name, case %#", (name, ids) => {
  expect(findRowIds(name)).toEqual(ids);
});

const toReport = (...tests: readonly (readonly [string, string])[]): TestReport => ({
  numPassedTests: 0,
  numFailedTests: 0,
  testResults: [
    {
      name: "a.test.ts",
      status: "passed",
      assertionResults: tests.map(([fullName, status]) => ({ fullName, status })),
    },
  ],
});

test("a row is proven only when a test of its id passed and none failed", () => {
  const report = toReport(
    ["S0-001 passes", "passed"],
    ["S0-002 passes", "passed"],
    ["S0-002 fails on another store", "failed"],
    ["S0-003 is skipped", "skipped"],
  );
  expect(judgeConformance(["S0-001", "S0-002", "S0-003", "S0-004"], report)).toEqual({
    rows: 4,
    proven: 1,
    missing: ["S0-002", "S0-003", "S0-004"],
  });
});

test("the page names tests, reasons and rows without a test", () => {
  const page = renderPage({
    rows: { "S0-001": "First | requirement", "S0-002": "Second", "S0-003": "Third" },
    notes: { outside: { "S0-002": "needs a Durable Object" }, documents: {} },
    testsByRow: new Map([["S0-001", [{ file: "a.test.ts", title: "S0-001 holds" }]]]),
  });
  expect(page).toContain("| S0-001 | First \\| requirement | a.test.ts › S0-001 holds | tested |");
  expect(page).toContain("| S0-002 | Second |  | outside this release: needs a Durable Object |");
  expect(page).toContain("| S0-003 | Third |  | **no test** |");
});

test("notes speak of rows that exist", () => {
  const rows = loadRows();
  const { outside, documents } = loadNotes();
  const noted = [...Object.keys(outside), ...Object.keys(documents)];
  expect(noted.filter((row) => !(row in rows))).toEqual([]);
});
