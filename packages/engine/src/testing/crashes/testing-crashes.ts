/** Workflows that are crashed. */
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

/** A body that does it right. */
export const key = ({ idempotencyKey }: StepContext): string => idempotencyKey;

export const kinds = (report: CrashReport): readonly string[] =>
  report.findings.map(({ kind, stepPath }) => (stepPath === null ? kind : `${kind} ${stepPath}`));
