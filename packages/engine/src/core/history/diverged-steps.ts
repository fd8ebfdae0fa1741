/** Open steps of a history that author code does not call, or calls in another way. */
import { utf8Size } from "../plain-codec.ts";
import { createErrorRecord } from "../stored-error.ts";
import { isEventWait } from "../model/status.ts";
import type { DivergedStep, ErrorRecord, StepRecord } from "../model/records.ts";

/** How many of them an instance shows; the log has all. */
const MAX_DIVERGED_STEPS = 10;
/** The UTF-8 bytes of their JSON that an instance shows. */
const MAX_DIVERGED_BYTES = 4096;

/** The columns of an open step that are read. */
export type OpenStep = Pick<StepRecord, "type" | "stepKey" | "waitEventType" | "error">;

/**
 * Finds the open steps that author code has not called, and the waits that it now calls with another event type.
 *
 * @param open     open steps of the run, its pending writes included
 * @param isCalled whether author code has called the step; it has run as far as it can
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

/** As many of them as an instance has room for. */
export function boundDivergedSteps(steps: readonly DivergedStep[]): readonly DivergedStep[] {
  let bytes = 2;
  return steps.slice(0, MAX_DIVERGED_STEPS).filter((step) => {
    bytes += utf8Size(JSON.stringify(step)) + 1;
    return bytes <= MAX_DIVERGED_BYTES;
  });
}

/**
 * The error for the row of an open wait whose event type has changed; null: the type is the one that history had first.
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

/** The event type of a wait before it changed; null: it has not changed. */
function firstTypeOf({ type, error }: Pick<StepRecord, "type" | "error">): string | null {
  const isMarked = isEventWait(type) && error?.code === "HISTORY_DIVERGED";
  return isMarked ? String(error.details?.["recorded"]) : null;
}
