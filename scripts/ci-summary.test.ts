import { expect, test } from "vitest";
import type { TestReport } from "./conformance/report.ts";
import { sumReports } from "./ci-summary.ts";

const report = (passed: number, failed: number, fileStatus: string): TestReport => ({
  numPassedTests: passed,
  numFailedTests: failed,
  testResults: [
    {
      name: "a.test.ts",
      status: fileStatus,
      assertionResults: failed > 0 ? [{ fullName: "x", status: "failed", title: "t" }] : [],
    },
  ],
});

test("reports are summed, and a file that could not be loaded counts as one failure", () => {
  const reports = [report(5, 0, "passed"), report(2, 1, "failed"), report(0, 0, "failed")];
  expect(sumReports(reports)).toEqual({ passed: 7, failed: 2 });
});
