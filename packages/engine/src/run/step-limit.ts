/** Limits the number of steps of a run. */
import { Refusal } from "./refusal.ts";
import type { Limits } from "../core/limits.ts";
import type { StepType } from "../core/model/status.ts";

export class StepLimit {
  readonly #limits: Pick<Limits, "maxStepsPerRun">;
  readonly #fail: (error: Refusal) => void;
  #count: number;

  /** @param count how many steps of the history count @param fail called with RUN_STEP_LIMIT at the first step too many */
  constructor(
    limits: Pick<Limits, "maxStepsPerRun">,
    count: number,
    fail: (error: Refusal) => void,
  ) {
    this.#limits = limits;
    this.#count = count;
    this.#fail = fail;
  }

  /** Stops counting a step whose row was removed, or that will never have one. */
  remove(type: StepType): void {
    if (type !== "sleep") this.#count -= 1;
  }

  /** Lifts the limit: undo steps are as many as the steps that they undo. */
  lift(): void {
    this.#count = -Infinity;
  }

  /** Counts a new step. @returns false: it is one too many, and the run fails, whatever author code catches */
  add(type: StepType): boolean {
    if (type === "sleep") return true;
    this.#count += 1;
    const { maxStepsPerRun } = this.#limits;
    if (this.#count <= maxStepsPerRun) return true;
    this.#fail(new Refusal((texts) => texts.tooManySteps(maxStepsPerRun)));
    return false;
  }
}
