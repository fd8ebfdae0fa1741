/** Failures as values: `step.tryDo`, and what scopes tell of their branches. */
import type { Attempted } from "../authoring/scopes.ts";
import { WorkflowError } from "../core/errors.ts";
import { findRollback } from "./find-rollback.ts";

/** What was thrown, as a value. */
export const toFailed = (error: unknown): Extract<Attempted<never>, { ok: false }> => ({
  ok: false,
  kind: toKind(error),
  error: error as Error,
});

const KINDS = {
  STEP_TIMEOUT: "timeout",
  EVENT_TIMEOUT: "timeout",
  STEP_FAILED: "exhausted",
  STEP_MAX_ATTEMPTS_EXCEEDED: "exhausted",
  CANCELLED: "cancelled",
} as const;

/** Thrown on, a JoinError begins a rollback if one of its branches asked for it: it is named by that. */
function toKind(error: unknown): Extract<Attempted<never>, { ok: false }>["kind"] {
  if (findRollback(error) !== null) return "rollback";
  return (WorkflowError.is(error) && KINDS[error.code as keyof typeof KINDS]) || "failed";
}
