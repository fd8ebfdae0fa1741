/** Types of events that open waits of a session ask for. */
import { fromWaitTypes } from "../core/event-types.ts";
import type { StepWrite } from "../core/model/change.ts";

const NO_TYPES: readonly string[] = [];

export class EventWaits {
  /** Types that waits ask for which an event could end, by step key. null: nothing has waited for one. */
  #open: Map<string, string> | null = null;

  /** Notes a step's state: a wait that is open, or that has its outcome. */
  note({
    stepKey,
    settledOrder,
    waitEventType,
  }: Pick<StepWrite, "stepKey" | "settledOrder" | "waitEventType">): void {
    if (settledOrder === null && waitEventType !== null)
      (this.#open ??= new Map()).set(stepKey, waitEventType);
    else this.#open?.delete(stepKey);
  }

  /** Types that open waits ask for, each as often as one does. */
  get types(): readonly string[] {
    return this.#open === null ? NO_TYPES : [...this.#open.values()].flatMap(fromWaitTypes);
  }
}
