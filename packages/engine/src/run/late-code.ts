/**
 * Code that most runs do not need, loaded on first use. What is loaded later may use what is loaded already: the types of these
 * modules are named where they are loaded, which is no import and closes no circle.
 */
import { type Late, late } from "../core/late.ts";

/** For outcomes that are not plain values, requests to end, and ends that leave something open. */
export const otherOutcomes: Late<typeof import("./other-outcomes.ts")> = late(
  () => import("./other-outcomes.ts"),
);

export const eventSteps: Late<typeof import("./event-steps.ts")> = late(
  () => import("./event-steps.ts"),
);
export const progressSteps: Late<typeof import("./progress-step.ts")> = late(
  () => import("./progress-step.ts"),
);
export const childSteps: Late<typeof import("./invoke-step.ts")> = late(
  () => import("./invoke-step.ts"),
);

/** For children, which tell their parent about their end. */
export const parentNotices: Late<typeof import("./parent-notice.ts")> = late(
  () => import("./parent-notice.ts"),
);
