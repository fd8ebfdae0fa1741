/** Failures as values: for `step.tryDo`, and for scopes that return the failures of their branches. */
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

/** A JoinError whose branch asked for a rollback would begin one if it were thrown on, so its kind is `rollback`. */
function toKind(error: unknown): Extract<Attempted<never>, { ok: false }>["kind"] {
  if (findRollback(error) !== null) return "rollback";
  return (WorkflowError.is(error) && KINDS[error.code as keyof typeof KINDS]) || "failed";
}
