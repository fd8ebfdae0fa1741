/** Open steps of a history that author code does not call as history has them. */
import { utf8Size } from "../plain-codec.ts";
import { createErrorRecord } from "../stored-error.ts";
import { isEventWait } from "../model/status.ts";
import type { DivergedStep, ErrorRecord, StepRecord } from "../model/records.ts";

/** How many an instance tells; the log has all. */
const MAX_DIVERGED_STEPS = 10;
/** UTF-8 bytes of them as JSON. */
const MAX_DIVERGED_BYTES = 4096;

/** What is looked at of an open step. */
export type OpenStep = Pick<StepRecord, "type" | "stepKey" | "waitEventType" | "error">;

/**
 * Finds the open steps that author code has not called, and the waits that it calls for another type of event.
 *
 * @param open     open steps of the run, its pending writes included
 * @param isCalled whether author code, which has gone as far as it can, has called the step
 */
export function findDivergedSteps(
  open: readonly OpenStep[],
  isCalled: (stepKey: string) => boolean,
): readonly DivergedStep[] {
  return open.flatMap(({ stepKey, waitEventType, ...step }): readonly DivergedStep[] => {
    if (!isCalled(stepKey))
      return [{ kind: "notCalled", stepKey, recorded: waitEventType, called: null }];
    const recorded = firstTypeOf(step);
    if (recorded === null) return [];
    return [{ kind: "eventTypeChanged", stepKey, recorded, called: waitEventType }];
  });
}

/** The first of them that an instance has room for. */
export function boundDivergedSteps(steps: readonly DivergedStep[]): readonly DivergedStep[] {
  let bytes = 2;
  return steps.slice(0, MAX_DIVERGED_STEPS).filter((step) => {
    bytes += utf8Size(JSON.stringify(step)) + 1;
    return bytes <= MAX_DIVERGED_BYTES;
  });
}

/**
 * The error that stands on the row of an open wait whose type of event has changed; null: it is the one that history had
 * first.
 */
export function toRetypedMark(record: StepRecord, called: string): ErrorRecord | null {
  const recorded = firstTypeOf(record) ?? record.waitEventType;
  if (recorded === null || recorded === called) return null;
  const message = `step "${record.stepKey}" waits for "${called}" in the code but for "${recorded}" in history`;
  const details = { recorded, called };
  return {
    ...createErrorRecord("HISTORY_DIVERGED", { name: "HistoryDiverged", message }),
    details,
  };
}

/** The type that a wait asked for before it changed; null: it has not changed. */
function firstTypeOf({ type, error }: Pick<StepRecord, "type" | "error">): string | null {
  const isMarked = isEventWait(type) && error?.code === "HISTORY_DIVERGED";
  return isMarked ? String(error.details?.["recorded"]) : null;
}
