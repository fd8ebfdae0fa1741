/** Guards of a commit that is all or nothing. Their names differ from those of guards in writes to other tables. */
import type { Dialect } from "@escapement/db/client";
import { laterLoops } from "./commit-steps.ts";
import { leaseToken } from "./leased-rows.ts";
import { STEP, TASK, UNIQUE_STEP } from "./tables.ts";

export const LEASE_GUARD = "escapement-lease";
export const UNWRITTEN_GUARD = "escapement-unwritten";

/** Parameters: task, token. False if the lease is lost. */
export const guardLease = (dialect: Dialect): string =>
  dialect.guard(
    LEASE_GUARD,
    `exists (select 1 from ${TASK} as t where t."id" = ${dialect.param(1)} and ${leaseToken("t")} = ${dialect.param(2)})`,
  );

/**
 * Parameters: workflow, instance, run number, step key, and the version and JSON array of loops of its write. False if the step
 * is settled or was written since, or if its loops may have removed it: then the commit was applied already, or comes late.
 */
export const guardUnwritten = (dialect: Dialect): string => {
  const [workflowName, instanceId, runNumber, stepKey, version, loops] = [1, 2, 3, 4, 5, 6].map(
    dialect.param,
  );
  const isOfRun = (alias: string): string =>
    `${alias}."workflowName" = ${workflowName} and ${alias}."instanceId" = ${instanceId} and ${alias}."runNumber" = ${runNumber}`;
  return dialect.guard(
    UNWRITTEN_GUARD,
    `not exists (select 1 from ${STEP} as k${dialect.byIndex(UNIQUE_STEP)} where ${isOfRun("k")} and k."stepKey" = ${stepKey} ` +
      `and (k."settledOrder" is not null or k."_version" >= cast(${version} as bigint))) ` +
      `and not exists (select 1 from ${laterLoops(dialect, `cast(${loops} as text)`, isOfRun("s"))})`,
  );
};
