/** The steps of one run beyond those that its claim has read. */
import type { Dialect } from "@escapement/db";
import { isOfInstance } from "./lock.ts";
import { stepPage } from "./step-page.ts";
import { STEP, UNIQUE_STEP } from "./tables.ts";

/** Parameters: workflow, instance, run number, after which row. Rows of `stepPage` in no order. */
export const loadSteps = (dialect: Dialect): string =>
  stepPage(dialect, {
    from: `${STEP} as s${dialect.byIndex(UNIQUE_STEP)}`,
    where:
      `${isOfInstance(dialect, "s")} and s."runNumber" = ${dialect.param(3)} ` +
      `and s."_internalId" > ${dialect.param(4)}`,
    runId: `cast(s."runNumber" as text)`,
  });
