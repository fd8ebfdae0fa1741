/**
 * Acceptance rows and the tests that prove them.
 *
 *   npm run conformance                       write docs/conformance.md
 *   npm run conformance -- --check            fail when docs/conformance.md is stale
 *   npm run conformance -- --json             run the tests; print { rows, proven, missing, open, skipped }
 *   npm run conformance -- --json --report f  the same over JSON reports that Vitest wrote; may be given several times
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { parseArgs } from "node:util";
import { reportFindings } from "../findings.ts";
import { ROOT } from "../project-files.ts";
import { renderPage } from "./page.ts";
import { judgeConformance, type TestReport } from "./report.ts";
import { loadNotes, loadRows, loadTestsByRow } from "./rows.ts";
import { excuseOf } from "./tools.ts";

const PAGE = "docs/conformance.md";

const { values: flags } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    report: { type: "string", multiple: true },
  },
});

const notes = loadNotes();
const rows = loadRows();

function writePage(): void {
  const page = renderPage({ rows, notes, testsByRow: loadTestsByRow(notes) });
  const path = join(ROOT, PAGE);
  const isFresh = existsSync(path) && readFileSync(path, "utf8") === page;
  if (flags.check) {
    reportFindings(isFresh ? [] : [`${PAGE} is stale: npm run conformance`], PAGE);
  } else {
    writeFileSync(path, page);
    console.log(`${isFresh ? "fresh" : "wrote"}: ${PAGE}`);
  }
}

function runTests(): TestReport {
  const folder = mkdtempSync(join(tmpdir(), "escapement-conformance-"));
  const report = join(folder, "report.json");
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const args = [
    vitest,
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
  ];
  // Progress to standard error: standard output carries the answer alone.
  spawnSync(process.execPath, args, { cwd: ROOT, stdio: ["ignore", 2, 2] });
  try {
    return JSON.parse(readFileSync(report, "utf8")) as TestReport;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function judge(): void {
  const paths = flags.report ?? [];
  const reports =
    paths.length === 0
      ? [runTests()]
      : paths.map((path) => JSON.parse(readFileSync(path, "utf8")) as TestReport);
  const filesByRow = new Map(
    [...loadTestsByRow(notes)].map(([row, tests]) => [row, tests.map(({ file }) => file)]),
  );
  const toPath = (absolute: string): string => relative(ROOT, absolute).split(sep).join("/");
  const conformance = judgeConformance({ rows, notes, reports, filesByRow, toPath, excuseOf });
  console.log(JSON.stringify(conformance, null, 2));
  if (Object.keys(conformance.missing).length > 0) process.exitCode = 1;
}

if (flags.json) judge();
else writePage();
