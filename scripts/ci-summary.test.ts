import { expect, test } from "vitest";
import type { TestReport } from "./conformance/report.ts";
import { namesOfFailed, sumReports } from "./ci-summary.ts";

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
