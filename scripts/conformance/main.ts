/**
 * Acceptance rows and the tests that prove them.
 *
 *   npm run conformance                       write docs/conformance.md
 *   npm run conformance -- --check            fail when docs/conformance.md is stale
 *   npm run conformance -- --json             run the tests; print { rows, proven, missing }
 *   npm run conformance -- --json --report f  the same over a JSON report that Vitest wrote
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { reportFindings } from "../findings.ts";
import { ROOT } from "../project-files.ts";
import { renderPage } from "./page.ts";
import { judgeConformance, type TestReport } from "./report.ts";
import { loadNotes, loadRows, loadTestsByRow } from "./rows.ts";

const PAGE = "docs/conformance.md";

const { values: flags } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    report: { type: "string" },
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
  const report =
    flags.report === undefined
      ? runTests()
      : (JSON.parse(readFileSync(flags.report, "utf8")) as TestReport);
  const inside = Object.keys(rows).filter((row) => !(row in notes.outside));
  const conformance = judgeConformance(inside, report);
  console.log(JSON.stringify(conformance, null, 2));
  if (conformance.missing.length > 0) process.exitCode = 1;
}

if (flags.json) judge();
else writePage();
