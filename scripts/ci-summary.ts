/**
 * Sums the JSON reports that Vitest wrote, and what `unhandled-reporter.ts` wrote beside them: names what failed, then prints
 * `N passed, N failed` alone on a line.
 *
 *   tsx scripts/ci-summary.ts report.json [report.json]...
 */
import { existsSync, readFileSync } from "node:fs";
import type { TestReport } from "./conformance/report.ts";
import { isProgram } from "./findings.ts";
import { toUnhandledPath } from "./unhandled-reporter.ts";

/** Sums of several reports. A file that could not be loaded counts as one failure: its tests did not run. */
export function sumReports(reports: readonly TestReport[]): { passed: number; failed: number } {
  const broken = reports.flatMap(({ testResults }) =>
    testResults.filter(
      (file) => file.status === "failed" && !file.assertionResults.some(hasFailed),
    ),
  );
  return {
    passed: reports.reduce((sum, report) => sum + report.numPassedTests, 0),
    failed: reports.reduce((sum, report) => sum + report.numFailedTests, broken.length),
  };
}

/** What failed, a line each: the file, the test, the first line of what it said. A file that did not load: its name. */
export function namesOfFailed(reports: readonly TestReport[]): readonly string[] {
  return reports
    .flatMap(({ testResults }) => testResults)
    .filter(({ status }) => status === "failed")
    .flatMap((file) => {
      const failed = file.assertionResults.filter(hasFailed);
      if (failed.length === 0) return [`${file.name}: not loaded`];
      return failed.map(
        ({ fullName, failureMessages }) =>
          `${file.name}: ${fullName}: ${(failureMessages?.[0] ?? "").split("\n", 1)[0]}`,
      );
    });
}

/** Errors that no test caught, a line each. Each counts as a failure. */
export function readUnhandled(report: string): readonly string[] {
  const path = toUnhandledPath(report);
  if (!existsSync(path)) return [];
  return (JSON.parse(readFileSync(path, "utf8")) as string[]).map(
    (line) => `no test caught: ${line}`,
  );
}

function hasFailed(test: { readonly status: string }): boolean {
  return test.status === "failed";
}

if (isProgram(import.meta.url)) {
  const paths = process.argv.slice(2);
  const missing = paths.filter((path) => !existsSync(path));
  for (const path of missing) console.error(`no report: ${path}`);
  const reports = paths
    .filter((path) => !missing.includes(path))
    .map((path) => JSON.parse(readFileSync(path, "utf8")) as TestReport);
  const { passed, failed } = sumReports(reports);
  const unhandled = paths.flatMap(readUnhandled);
  for (const line of [...namesOfFailed(reports), ...unhandled]) console.log(line);
  const failures = failed + missing.length + unhandled.length;
  console.log(`${passed} passed, ${failures} failed`);
  if (failures > 0) process.exitCode = 1;
}
