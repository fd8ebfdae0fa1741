/** Workflows for crash tests. */
import { expect } from "vitest";
import {
  defineWorkflow,
  type StepContext,
  type WorkflowDefinition,
  type WorkflowStep,
} from "../../index.ts";
import { crashEverywhere } from "./crash-everywhere.ts";
import type { CrashReport } from "./report.ts";
import type { CrashScenario } from "./scenario.ts";

export const define = (run: (step: WorkflowStep) => unknown): WorkflowDefinition =>
  defineWorkflow({ name: "w" }, (_event, step) => run(step));

export const crash = (
  run: (step: WorkflowStep) => unknown,
  scenario: CrashScenario = {},
): Promise<CrashReport> => crashEverywhere(define(run), scenario);

/** A correct body. */
export const key = ({ idempotencyKey }: StepContext): string => idempotencyKey;

export const kinds = (report: CrashReport): readonly string[] =>
  report.findings.map(({ kind, stepPath }) => (stepPath === null ? kind : `${kind} ${stepPath}`));

/** Expects that every point was played and nothing was found. */
export function expectClean(report: CrashReport): void {
  expect(report.text).toMatch(/^w: 0 findings in \d+ crashes/);
  expect(report).toMatchObject({ findings: [], isCutShort: false, isEndCompared: true });
  expect(report.crashCount).toBe(report.pointCount);
  expect(report.crashCount).toBeGreaterThan(2);
}
