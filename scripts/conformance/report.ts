/** Holds the acceptance rows against a test run. */
import { findRowIds } from "./row-ids.ts";

/** The part of Vitest's JSON report that is read. */
export interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** Answer of `npm run conformance -- --json`: how many rows, how many proven, and the ids of the others. */
export interface Conformance {
  readonly rows: number;
  readonly proven: number;
  readonly missing: readonly string[];
}

/** A row is proven when at least one test that carries its id ran and passed, and none failed. */
export function judgeConformance(rows: readonly string[], report: TestReport): Conformance {
  const passed = new Set<string>();
  const failed = new Set<string>();
  for (const file of report.testResults) {
    for (const test of file.assertionResults) {
      const verdict = test.status === "passed" ? passed : test.status === "failed" ? failed : null;
      if (verdict !== null) for (const row of findRowIds(test.fullName)) verdict.add(row);
    }
  }
  const missing = rows.filter((row) => !passed.has(row) || failed.has(row));
  return { rows: rows.length, proven: rows.length - missing.length, missing };
}
