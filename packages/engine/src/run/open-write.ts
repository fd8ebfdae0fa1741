/** Writes for open steps: unchanged, or closed without an outcome. */
import { toStepWrite } from "../core/model/step-record.ts";
import type { StepWrite } from "../core/model/change.ts";
import type { ErrorRecord, SettledStatus, StepRecord } from "../core/model/records.ts";

/** The row of an open step, as a write that changes nothing. */
export const toOpenWrite = (record: StepRecord): StepWrite =>
  toStepWrite({ newId: record.id, ...record }, record, {
    status: record.status,
    result: record.result,
    error: record.error,
  });

/** Closes a step that nobody waits for any more. A loop keeps its position; a wait no longer needs its mark. */
export const toClosedWrite = (
  step: StepWrite,
  status: Exclude<SettledStatus, "completed">,
  error: ErrorRecord,
): StepWrite => ({
  ...step,
  status,
  result: step.type === "loop" ? step.result : null,
  error,
  nextRetry: null,
});
