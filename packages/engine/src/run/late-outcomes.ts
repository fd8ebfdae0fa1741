/** The code of outcomes that are no plain values: most runs do without it. */
import { type Late, late } from "../core/late.ts";

export const otherOutcomes: Late<typeof import("./other-outcomes.ts")> = late(
  () => import("./other-outcomes.ts"),
);
