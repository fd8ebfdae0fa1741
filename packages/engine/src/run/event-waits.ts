/** What open waits of a session wait for. */
import type { StepWrite } from "../core/model/change.ts";

const NO_TYPES: readonly string[] = [];

export class EventWaits {
  /** The types of each open wait that an event could end, by step key. null: nothing has waited for an event. */
  #open: Map<string, string> | null = null;

  /** Notes the state of a step: an open wait, or one that has its outcome. */
  note({
    stepKey,
    settledOrder,
    waitEventType,
  }: Pick<StepWrite, "stepKey" | "settledOrder" | "waitEventType">): void {
    if (settledOrder === null && waitEventType !== null)
      (this.#open ??= new Map()).set(stepKey, waitEventType);
    else this.#open?.delete(stepKey);
  }

  /** The `waitEventType` of each open wait. */
  get types(): readonly string[] {
    return this.#open === null ? NO_TYPES : [...this.#open.values()];
  }
}
