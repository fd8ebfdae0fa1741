/** Guards of a commit that is all or nothing; their names are not those of guards in foreign writes. */
import type { Dialect } from "@escapement/db/client";
import { leaseToken } from "./leased-rows.ts";
import { STEP, TASK, UNIQUE_STEP } from "./tables.ts";

export const LEASE_GUARD = "escapement-lease";
export const UNSETTLED_GUARD = "escapement-unsettled";

/** Parameters: task, token. False when the lease is lost. */
export const guardLease = (dialect: Dialect): string =>
  dialect.guard(
    LEASE_GUARD,
    `exists (select 1 from ${TASK} as t where t."id" = ${dialect.param(1)} and ${leaseToken("t")} = ${dialect.param(2)})`,
  );

/** Parameters: workflow, instance, run number, step key. False when the step is settled: the commit was applied already. */
export const guardUnsettled = (dialect: Dialect): string =>
  dialect.guard(
    UNSETTLED_GUARD,
    `not exists (select 1 from ${STEP} as s${dialect.byIndex(UNIQUE_STEP)} where "workflowName" = ${dialect.param(1)} ` +
      `and "instanceId" = ${dialect.param(2)} and "runNumber" = ${dialect.param(3)} ` +
      `and "stepKey" = ${dialect.param(4)} and "settledOrder" is not null)`,
  );
