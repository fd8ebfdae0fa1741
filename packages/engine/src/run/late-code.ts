/** Code of a run that most do without, by what it is used for. */
import { type Late, late } from "../core/late.ts";
import type * as EventSteps from "./event-steps.ts";
import type * as ChildSteps from "./invoke-step.ts";
import type * as OtherOutcomes from "./other-outcomes.ts";
import type * as ProgressSteps from "./progress-step.ts";
import type * as TellParent from "./tell-parent.ts";

/** Outcomes that are no plain values, requests to end, and ends that leave something open. */
export const otherOutcomes: Late<typeof OtherOutcomes> = late(() => import("./other-outcomes.ts"));

export const eventSteps: Late<typeof EventSteps> = late(() => import("./event-steps.ts"));
export const progressSteps: Late<typeof ProgressSteps> = late(() => import("./progress-step.ts"));
export const childSteps: Late<typeof ChildSteps> = late(() => import("./invoke-step.ts"));

/** Whom a child tells of its end. */
export const tellingParent: Late<typeof TellParent> = late(() => import("./tell-parent.ts"));
