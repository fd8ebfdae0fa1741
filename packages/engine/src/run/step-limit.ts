/** How many steps a run may have. */
import { Refusal } from "./refusal.ts";
import type { Limits } from "../core/limits.ts";
import type { StepType } from "../core/model/status.ts";

export class StepLimit {
  readonly #limits: Pick<Limits, "maxStepsPerRun">;
  readonly #fail: (error: Refusal) => void;
  #count: number;

  /** @param count steps of the run's history that count @param fail called with RUN_STEP_LIMIT when one is too many */
  constructor(
    limits: Pick<Limits, "maxStepsPerRun">,
    count: number,
    fail: (error: Refusal) => void,
  ) {
    this.#limits = limits;
    this.#count = count;
    this.#fail = fail;
  }

  /** The row of a step is gone, or it never had one and will have none. */
  remove(type: StepType): void {
    if (type !== "sleep") this.#count -= 1;
  }

  /** No step is one too many any more: what undoes others has as many as they have. */
  lift(): void {
    this.#count = -Infinity;
  }

  /** Counts a step that is new. @returns false: it is one too many, and the run fails whatever the author catches */
  add(type: StepType): boolean {
    if (type === "sleep") return true;
    this.#count += 1;
    const { maxStepsPerRun } = this.#limits;
    if (this.#count <= maxStepsPerRun) return true;
    this.#fail(new Refusal((texts) => texts.tooManySteps(maxStepsPerRun)));
    return false;
  }
}
