/** Tables with thousands of rows of everything that a reading route might walk through. */
import type { Dialect } from "@escapement/db/client";
import { finishedRuns, progressRows, queuedRuns } from "./rows.ts";

/** How many rows of each kind. */
export const MANY = 4000;

export const WORKFLOWS: readonly string[] = ["Order", "Refund", "Waiter"];

/** An instance of `Order` with a long history, stream and queue of events, and with thousands of children. */
export const BIG = "Order";

/** The instance as the filter `parent` names it. */
export const PARENT_PATH: string = `Order%2F${BIG}`;

/** A topic that thousands of runs wait for. */
export const TOPIC = "news";

/** Thousands of runs waited for it and were ended. */
export const SILENT_TOPIC = "silence";

/** Statements that fill the tables of a database which has the bulk job `job-0`. */
export const fillAdversely = (dialect: Dialect): readonly string[] => [
  ...finishedRuns(dialect, { workflowName: "Order", count: 5 * MANY }),
  ...queuedRuns(dialect, { workflowName: "Order", count: MANY, isDue: false }),
  ...queuedRuns(dialect, { workflowName: "Refund", count: MANY, isDue: true }),
  ...queuedRuns(dialect, { workflowName: "Waiter", count: MANY, isDue: false }),
  ...progressRows(dialect, { workflowName: "Order", count: MANY }),
  ...bigInstance(dialect),
  ...amiss(dialect),
  `insert into "workflow_topic_wait_workflows" ("id", "topic", "sequence", "workflowName", "instanceId", "runNumber", "stepKey") ` +
    `select 'Waiter-qs' || n, '${TOPIC}', 0, 'Waiter', 'Waiter-q' || n, 1, 'z' from ${numbers}`,
  `insert into "workflow_topic_wait_workflows" ("id", "topic", "sequence", "workflowName", "instanceId", "runNumber", "stepKey") ` +
    `select 'Order-s' || n, '${SILENT_TOPIC}', 0, 'Order', 'Order-' || n, 1, 'a' from generate_series(1, ${5 * MANY}) as g(n)`,
  `insert into "workflow_instance_workflows" ("id", "workflowName", "instanceId", "runNumber", "status", "pauseRequested", ` +
    `"createdAt", "updatedAt", "params", "memo") select 'job' || n, i."workflowName", 'job-' || n, 1, 'complete', false, ` +
    `i."createdAt" - n * interval '1 second', i."updatedAt", i."params", i."memo" from "workflow_instance_workflows" as i, ${numbers} where i."instanceId" = 'job-0'`,
];

const numbers = `generate_series(1, ${MANY}) as g(n)`;

/** Thousands of stuck runs, and as many that are processing, some of whose processes have ended. */
const amiss = (dialect: Dialect): readonly string[] => {
  const inAnHour = dialect.plusMs(dialect.now, "3600000");
  return [
    `update "workflow_task_workflows" set "runAt" = ${dialect.plusMs(dialect.now, "(-3600000)")} where "workflowName" = 'Refund'`,
    `update "workflow_task_workflows" set "status" = 'processing', "lockOwner" = 'o' || "id", "lockedUntil" = ${inAnHour}, ` +
      `"attempts" = case when "id" like '%99' then 5 else 1 end where "workflowName" = 'Order'`,
    `update "workflow_instance_workflows" set "status" = 'running' where "workflowName" = 'Order' and "status" = 'waiting'`,
  ];
};

/** Its children are the instances of `Order`, and no step waits for one of them; all open steps but one are the newest. */
const bigInstance = ({ now }: Dialect): readonly string[] => {
  const run = `'Order', '${BIG}', 1`;
  const steps = `"workflow_step_workflows" ("id", "workflowName", "instanceId", "runNumber", "stepKey", "name", "type", "status", `;
  return [
    `insert into "workflow_instance_workflows" ("id", "workflowName", "instanceId", "runNumber", "status", "pauseRequested", ` +
      `"createdAt", "updatedAt", "startedAt") select 'big', ${run}, 'waiting', false, ${now}, ${now}, ${now}`,
    `insert into "workflow_task_workflows" ("id", "workflowName", "instanceId", "runNumber", "kind", "priority", "runAt", "status", ` +
      `"attempts", "maxAttempts", "createdAt", "updatedAt") select 'bigtask', ${run}, 'wake', 0, ${now}, 'pending', 0, 1, ${now}, ${now}`,
    `insert into ${steps}"attempts", "lostAttempts", "maxAttempts", "settledOrder", "createdAt", "updatedAt") ` +
      `select 'bigstep' || n, ${run}, 'done' || n, 'done', 'do', 'completed', 1, 0, 6, n, ${now} - n * interval '1 second', ${now} from ${numbers}`,
    `insert into ${steps}"attempts", "lostAttempts", "maxAttempts", "createdAt", "updatedAt") ` +
      `select 'open' || n, ${run}, 'open' || n, 'open', 'invoke', 'waiting', 1, 0, 6, ` +
      `${now} + case n when 1 then interval '-1 hour' else interval '1 second' end, ${now} from generate_series(1, 5) as g(n)`,
    `insert into "workflow_event_workflows" ("id", "workflowName", "instanceId", "runNumber", "type", "eventId", "createdAt") ` +
      `select 'bigevent' || n, ${run}, 'type' || n, 'event' || n, ${now} - n * interval '1 second' from ${numbers}`,
    `update "workflow_instance_workflows" set "parentWorkflowName" = 'Order', "parentInstanceId" = '${BIG}', "parentRunNumber" = 1, ` +
      `"parentStepKey" = 'done1' where "workflowName" = 'Order' and "instanceId" like 'Order-%'`,
  ];
};
