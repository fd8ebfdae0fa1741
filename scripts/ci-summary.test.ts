import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TestReport } from "./conformance/report.ts";
import { namesOfFailed, readUnhandled, sumReports } from "./ci-summary.ts";

const report = (passed: number, failed: number, fileStatus: string): TestReport => ({
  numPassedTests: passed,
  numFailedTests: failed,
  testResults: [
    {
      name: "a.test.ts",
      status: fileStatus,
      assertionResults:
        failed > 0
          ? [
              {
                fullName: "x t",
                status: "failed",
                title: "t",
                failureMessages: ["Error: no\nat y"],
              },
            ]
          : [],
    },
  ],
});

test("reports are summed, and a file that could not be loaded counts as one failure", () => {
  const reports = [report(5, 0, "passed"), report(2, 1, "failed"), report(0, 0, "failed")];
  expect(sumReports(reports)).toEqual({ passed: 7, failed: 2 });
});

test("what failed is named, a line each", () => {
  const reports = [report(5, 0, "passed"), report(2, 1, "failed"), report(0, 0, "failed")];
  expect(namesOfFailed(reports)).toEqual(["a.test.ts: x t: Error: no", "a.test.ts: not loaded"]);
});

test("errors that no test caught are read from beside the report; a run without the file had none", () => {
  const folder = mkdtempSync(join(tmpdir(), "escapement-summary-"));
  try {
    writeFileSync(join(folder, "a.unhandled.json"), JSON.stringify(["Error: late"]));
    expect(readUnhandled(join(folder, "a.json"))).toEqual(["no test caught: Error: late"]);
    expect(readUnhandled(join(folder, "b.json"))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
