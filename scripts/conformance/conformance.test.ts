import { expect, test } from "vitest";
import { listFiles } from "../project-files.ts";
import { renderPage } from "./page.ts";
import { type Layer, LAYER_OF_FILE } from "./layers.ts";
import { type Conformance, judgeConformance, type JudgeInput, type TestReport } from "./report.ts";
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

const toReport = (...tests: readonly (readonly [string, string, string])[]): TestReport => ({
  numPassedTests: 0,
  numFailedTests: 0,
  testResults: tests.map(([name, title, status]) => ({
    name,
    status: "passed",
    assertionResults: [{ fullName: title, title, status }],
  })),
});

const judge = (
  proofs: Readonly<Record<string, Layer>>,
  reports: readonly TestReport[],
  more: Partial<JudgeInput> = {},
): Conformance =>
  judgeConformance({
    rows: Object.fromEntries(
      Object.entries(proofs).map(([id, proof]) => [id, { says: "", proof }]),
    ),
    notes: { open: {}, outside: {} },
    reports,
    filesByRow: new Map(),
    toPath: (path) => path,
    excuseOf: () => null,
    ...more,
  });

test("a row is proven only when a test of its id passed and none failed", () => {
  const report = toReport(
    ["a.test.ts", "S0-001 passes", "passed"],
    ["a.test.ts", "S0-002 passes", "passed"],
    ["a.test.ts", "S0-002 fails on another store", "failed"],
  );
  expect(judge({ "S0-001": "U", "S0-002": "U", "S0-004": "U" }, [report])).toMatchObject({
    rows: 3,
    proven: 1,
    missing: {
      "S0-002": "failed: a.test.ts › S0-002 fails on another store",
      "S0-004": "no test ran",
    },
  });
});

test.each(LAYER_OF_FILE.map(([pattern]) => pattern))("%s is of files that there are", (pattern) => {
  expect(listFiles((path) => pattern.test(path))).not.toEqual([]);
});

test("a weaker test than the row asks for does not prove it, a stronger one does", () => {
  const report = toReport(
    ["packages/engine/src/run/a.test.ts", "S0-001 in a unit", "passed"],
    ["proofs/src/a.test.ts", "S0-002 across processes", "passed"],
  );
  const { missing } = judge({ "S0-001": "H", "S0-002": "U" }, [report]);
  expect(missing).toEqual({ "S0-001": "asks for H, and has U" });
});

test("a skipped test is no proof unless it passed elsewhere or this machine lacks what it needs", () => {
  const title = "S0-001 in a runtime";
  const skipped = toReport(["a.test.ts", title, "skipped"], ["b.test.ts", "S0-001 too", "passed"]);
  expect(judge({ "S0-001": "U" }, [skipped]).missing).toEqual({
    "S0-001": `skipped though it can run here: a.test.ts › ${title}`,
  });
  const elsewhere = toReport(["a.test.ts", title, "passed"]);
  expect(judge({ "S0-001": "U" }, [skipped, elsewhere])).toMatchObject({ proven: 1, missing: {} });
  const reasoned = toReport([
    "memory.test.ts",
    `${title} (skipped: nothing else writes)`,
    "skipped",
  ]);
  expect(judge({ "S0-001": "U" }, [reasoned]).missing).toHaveProperty("S0-001");
  expect(judge({ "S0-001": "U" }, [reasoned, elsewhere]).missing).toEqual({});
  const excuseOf = (): string => "deno is not installed";
  expect(judge({ "S0-001": "U" }, [skipped], { excuseOf })).toMatchObject({
    proven: 1,
    skipped: { [`a.test.ts › ${title}`]: "deno is not installed" },
  });
});

test("a file that names a row and is in no report has not run", () => {
  const report = toReport(["a.test.ts", "S0-001 passes", "passed"]);
  const filesByRow = new Map([["S0-001", ["a.test.ts", "gone.test.ts"]]]);
  expect(judge({ "S0-001": "U" }, [report], { filesByRow }).missing).toEqual({
    "S0-001": "skipped though it can run here: gone.test.ts › the whole file",
  });
});

test("an open row is shown and fails nothing", () => {
  const notes = { open: { "S0-001": "not yet" }, outside: {} };
  const { missing, open, proven } = judge({ "S0-001": "U" }, [toReport()], { notes });
  expect([missing, open, proven]).toEqual([{}, { "S0-001": "not yet (no test ran)" }, 0]);
});

test("the page names tests, reasons and rows without a test", () => {
  const page = renderPage({
    rows: {
      "S0-001": { says: "First | requirement", proof: "U" },
      "S0-002": { says: "Second", proof: "X" },
      "S0-003": { says: "Third", proof: "U" },
      "S0-004": { says: "Fourth", proof: "H" },
    },
    notes: {
      open: {},
      differs: { "S0-001": "by decision" },
      outside: { "S0-002": "needs a Durable Object" },
      documents: {},
    },
    testsByRow: new Map([
      ["S0-001", [{ file: "a.test.ts", title: "S0-001 holds" }]],
      ["S0-004", [{ file: "a.test.ts", title: "S0-004 holds" }]],
    ]),
  });
  expect(page).toContain(
    "| S0-001 | First \\| requirement | U | a.test.ts › S0-001 holds | tested; differs: by decision |",
  );
  expect(page).toContain(
    "| S0-002 | Second | X |  | outside this release: needs a Durable Object |",
  );
  expect(page).toContain("| S0-003 | Third | U |  | **no test** |");
  expect(page).toContain("| S0-004 | Fourth | H | a.test.ts › S0-004 holds | **weaker test** |");
});

test("notes speak of rows that exist", () => {
  const rows = loadRows();
  const { open, differs, outside, documents } = loadNotes();
  const noted = [open, differs, outside, documents].flatMap((notes) => Object.keys(notes));
  expect(noted.filter((row) => !(row in rows))).toEqual([]);
});
