/** Removes rows that loops no longer need, in memory. */
import { type StepsTrimmed, TRIMMED_EVENTS_KEPT_MS } from "../../core/model/change.ts";
import type { EpochMs, EventRecord } from "../../core/model/records.ts";
import type { MemoryState } from "./state.ts";

/** @param key of the run */
export function trimSteps(
  state: MemoryState,
  key: string,
  { change, now }: { readonly change: StepsTrimmed; readonly now: EpochMs },
): void {
  const steps = state.steps.get(key);
  for (const stepKey of change.stepKeys) steps?.delete(stepKey);
  const isOver = ({ deliveredAt, consumedByStepKey }: EventRecord): boolean =>
    deliveredAt !== null &&
    deliveredAt <= now - TRIMMED_EVENTS_KEPT_MS &&
    consumedByStepKey !== null &&
    steps?.has(consumedByStepKey) !== true;
  const events = state.events.get(key);
  if (events !== undefined)
    state.events.set(
      key,
      events.filter((event) => !isOver(event)),
    );
}
