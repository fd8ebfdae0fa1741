/** Second statement of a claim: marks the instances as running and reads what their runs need. Parameter: token. */
import type { Dialect } from "@escapement/db/client";
import { endRequestNow } from "./deadline.ts";
import { expectOneRow, filter } from "./planner-hints.ts";
import { isInstanceKey } from "./instance-key.ts";
import { INSTANCE, TASK } from "./tables.ts";

/** Rows: run, params, times and requests of each claimed instance. */
export function claimInstances(dialect: Dialect): string {
  const { now } = dialect;
  return (
    `update ${INSTANCE} as i set ` +
    `"status" = case when i."status" = 'waitingForPause' then i."status" else 'running' end, ` +
    `"startedAt" = case when i."startedAt" <= i."updatedAt" then i."startedAt" else ${now} end, ` +
    `"endRequested" = ${endRequestNow(dialect, "i")}, "updatedAt" = ${now}, "_version" = i."_version" + 1 ` +
    `from (select "workflowName" as "heldWorkflowName", "instanceId" as "heldInstanceId", ` +
    `"runNumber" as "heldRunNumber" from ${TASK} ` +
    `where "lockOwner" = ${dialect.param(1)} and ${expectOneRow(`"lockOwner"`)}) as l ` +
    `where ${isInstanceKey(dialect, { alias: "i", workflowName: `l."heldWorkflowName"`, instanceId: `l."heldInstanceId"` })} ` +
    `and ${filter(`i."runNumber" = l."heldRunNumber"`)} ` +
    `returning "id", "workflowName", "instanceId", "params", "pauseRequested", "endRequested", "status", ` +
    `"parentWorkflowName", "parentInstanceId", "parentRunNumber", "parentStepKey", "onParentEnd", ` +
    `coalesce("keyNumber", "runNumber") as "keyNumber", "retryCount", "traceContext", ` +
    ["createdAt", "startedAt", "updatedAt"]
      .map((column) => `${dialect.toMs(`"${column}"`)} as "${column}"`)
      .join(", ")
  );
}
