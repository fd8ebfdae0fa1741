/** Which events a wait could have taken. */
import type { WaitNode } from "../program.ts";
import type { EventRecord, StepRecord } from "../world/engine-types.ts";

/** What of a wait its checks need. */
export interface Wait extends Pick<WaitNode, "timeoutMs" | "since"> {
  readonly types: readonly string[];
}

/** Nobody had taken the event before the wait was settled, and the wait asked for such events. */
export function isOpenFor(
  steps: readonly StepRecord[],
  event: EventRecord,
  {
    step,
    leaf,
  }: {
    readonly step: StepRecord;
    readonly leaf: Pick<Wait, "types"> & Partial<Pick<Wait, "since">>;
  },
): boolean {
  if (!leaf.types.includes(event.type)) return false;
  if (leaf.since === "wait" && event.createdAt <= step.createdAt) return false;
  // A step that is there no more took it.
  const taker = steps.find(({ stepKey }) => stepKey === event.consumedByStepKey);
  return event.consumedByStepKey === null || (taker?.settledOrder ?? 0) > (step.settledOrder ?? 0);
}
