/** The code of outcomes that are no plain values: most runs do without it. */
import { type Late, late } from "../core/late.ts";
import type * as OtherOutcomes from "./other-outcomes.ts";

export const otherOutcomes: Late<typeof OtherOutcomes> = late(() => import("./other-outcomes.ts"));
