/** Code that most runs do not need, loaded on first use. */
import { type Late, late } from "../core/late.ts";
import type * as EventSteps from "./event-steps.ts";
import type * as ChildSteps from "./invoke-step.ts";
import type * as OtherOutcomes from "./other-outcomes.ts";
import type * as ProgressSteps from "./progress-step.ts";
import type * as ParentNotices from "./parent-notice.ts";

/** For outcomes that are not plain values, requests to end, and ends that leave something open. */
export const otherOutcomes: Late<typeof OtherOutcomes> = late(() => import("./other-outcomes.ts"));

export const eventSteps: Late<typeof EventSteps> = late(() => import("./event-steps.ts"));
export const progressSteps: Late<typeof ProgressSteps> = late(() => import("./progress-step.ts"));
export const childSteps: Late<typeof ChildSteps> = late(() => import("./invoke-step.ts"));

/** For children, which tell their parent about their end. */
export const parentNotices: Late<typeof ParentNotices> = late(() => import("./parent-notice.ts"));
