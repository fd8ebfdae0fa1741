/** `step.sleepUntil`. Loaded when a run first calls it. */
import { WorkflowError } from "../core/errors.ts";
import type { When } from "../core/model/change.ts";
import { showValue } from "../core/show-value.ts";

/** @throws {WorkflowError} INVALID_DURATION */
export function sleepTo(timestamp: Date | number): When {
  const at = timestamp instanceof Date ? timestamp.getTime() : timestamp;
  if (!Number.isFinite(at)) {
    const shown = timestamp instanceof Date ? "an invalid Date" : showValue(timestamp);
    throw new WorkflowError(
      "INVALID_DURATION",
      `sleepUntil got ${shown}; expected a valid Date or epoch milliseconds`,
      { timestamp: shown },
    );
  }
  return { at: Math.round(at) };
}
