/** Code of a run that most do without, by what it is used for. */
import { type Late, late } from "../core/late.ts";
import type * as EventSteps from "./event-steps.ts";
import type * as ChildSteps from "./invoke-step.ts";
import type * as OtherOutcomes from "./other-outcomes.ts";
import type * as ProgressSteps from "./progress-step.ts";

/** Outcomes that are no plain values, requests to end, and ends that leave something open. */
export const otherOutcomes: Late<typeof OtherOutcomes> = late(() => import("./other-outcomes.ts"));

export const eventSteps: Late<typeof EventSteps> = late(() => import("./event-steps.ts"));
export const progressSteps: Late<typeof ProgressSteps> = late(() => import("./progress-step.ts"));
export const childSteps: Late<typeof ChildSteps> = late(() => import("./invoke-step.ts"));

/** null: it cannot be loaded, as after a deploy that took the file away. */
export async function loadOrNull<T>(code: Late<T>): Promise<T | null> {
  try {
    return await code();
  } catch {
    return null;
  }
}
