/** The steps of one run beyond those that its claim has read. */
import type { Dialect } from "@escapement/db";
import { isOfInstance } from "./lock.ts";
import { stepBytes, stepPage } from "./step-page.ts";
import { STEP, UNIQUE_STEP } from "./tables.ts";

/** Parameters: workflow, instance, run number, after which row. Rows of `stepPage` in no order. */
export function loadSteps(dialect: Dialect): string {
  const from = `${STEP} as s${dialect.byIndex(UNIQUE_STEP)}`;
  const where =
    `${isOfInstance(dialect, "s")} and s."runNumber" = ${dialect.param(3)} ` +
    `and s."_internalId" > ${dialect.param(4)}`;
  return stepPage(dialect, {
    from,
    where,
    runId: `cast(s."runNumber" as text)`,
    held: `select 1 as "runs", coalesce(sum(${stepBytes(dialect)}), 0) as "bytes" from ${from} where ${where}`,
  });
}
