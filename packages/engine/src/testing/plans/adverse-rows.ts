/** Tables with thousands of rows of everything that a reading route might walk through. */
import type { Dialect } from "@escapement/db/client";
import { finishedRuns, numbersTo, progressRows, queuedRuns } from "./rows.ts";

/** How many rows of each kind. */
export const MANY = 4000;

export const WORKFLOWS: readonly string[] = ["Order", "Refund", "Waiter", "Asker"];

/** An instance of `Order` with a long history, stream and queue of events, and with thousands of children. */
export const BIG = "Order";

/** The instance as the filter `parent` names it. */
export const PARENT_PATH: string = `Order%2F${BIG}`;

/** Callbacks that each run of `Asker` waits for. */
const CALLBACKS_OF_EACH = 30;

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
  ...askers(dialect),
  ...amiss(dialect),
  ...topicWaits(dialect),
  ...bulkJobs(dialect),
];

const topicWaits = (dialect: Dialect): readonly string[] => {
  const into =
    `insert into "workflow_topic_wait_workflows" ("id", "topic", "sequence", "workflowName", "instanceId", ` +
    `"runNumber", "stepKey")`;
  return [
    `${into} select 'Waiter-qs' || n, '${TOPIC}', 0, 'Waiter', 'Waiter-q' || n, 1, 'z' from ${numbersTo(dialect, MANY)}`,
    `${into} select 'Order-s' || n, '${SILENT_TOPIC}', 0, 'Order', 'Order-' || n, 1, 'a' from ${numbersTo(dialect, 5 * MANY)}`,
  ];
};

const bulkJobs = (dialect: Dialect): readonly string[] => [
  `insert into "workflow_instance_workflows" ("id", "workflowName", "instanceId", "runNumber", "status", "pauseRequested", ` +
    `"createdAt", "updatedAt", "params", "memo") select 'job' || n, i."workflowName", 'job-' || n, 1, 'complete', false, ` +
    `${dialect.plusMs(`i."createdAt"`, "(-1000 * n)")}, i."updatedAt", i."params", i."memo" ` +
    `from "workflow_instance_workflows" as i cross join ${numbersTo(dialect, MANY)} where i."instanceId" = 'job-0'`,
];

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
const bigInstance = (dialect: Dialect): readonly string[] => {
  const { now } = dialect;
  const run = `'Order', '${BIG}', 1`;
  const steps = `"workflow_step_workflows" ("id", "workflowName", "instanceId", "runNumber", "stepKey", "name", "type", "status", `;
  const numbers = numbersTo(dialect, MANY);
  const before = dialect.plusMs(now, "(-1000 * n)");
  const openedAt = dialect.plusMs(now, "(case n when 1 then -3600000 else 1000 end)");
  return [
    `insert into "workflow_instance_workflows" ("id", "workflowName", "instanceId", "runNumber", "status", "pauseRequested", ` +
      `"createdAt", "updatedAt", "startedAt") select 'big', ${run}, 'waiting', false, ${now}, ${now}, ${now}`,
    `insert into "workflow_task_workflows" ("id", "workflowName", "instanceId", "runNumber", "kind", "priority", "runAt", "status", ` +
      `"attempts", "maxAttempts", "createdAt", "updatedAt") select 'bigtask', ${run}, 'wake', 0, ${now}, 'pending', 0, 1, ${now}, ${now}`,
    `insert into ${steps}"attempts", "lostAttempts", "maxAttempts", "settledOrder", "createdAt", "updatedAt") ` +
      `select 'bigstep' || n, ${run}, 'done' || n, 'done', 'do', 'completed', 1, 0, 6, n, ${before}, ${now} from ${numbers}`,
    `insert into ${steps}"attempts", "lostAttempts", "maxAttempts", "createdAt", "updatedAt") ` +
      `select 'open' || n, ${run}, 'open' || n, 'open', 'invoke', 'waiting', 1, 0, 6, ${openedAt}, ${now} from ${numbersTo(dialect, 5)}`,
    `insert into "workflow_event_workflows" ("id", "workflowName", "instanceId", "runNumber", "type", "eventId", "createdAt") ` +
      `select 'bigevent' || n, ${run}, 'type' || n, 'event' || n, ${before} from ${numbers}`,
    `update "workflow_instance_workflows" set "parentWorkflowName" = 'Order', "parentInstanceId" = '${BIG}', "parentRunNumber" = 1, ` +
      `"parentStepKey" = 'done1' where "workflowName" = 'Order' and "instanceId" like 'Order-%'`,
  ];
};

/** Runs that wait for many callbacks each. */
const askers = (dialect: Dialect): readonly string[] => {
  const { now } = dialect;
  return [
    ...queuedRuns(dialect, { workflowName: "Asker", count: MANY / 2, isDue: false }),
    `insert into "workflow_step_workflows" ("id", "workflowName", "instanceId", "runNumber", "stepKey", "name", "type", "status", ` +
      `"attempts", "lostAttempts", "maxAttempts", "waitEventType", "createdAt", "updatedAt") ` +
      `select 'ask' || i."id" || '-' || n, i."workflowName", i."instanceId", 1, 'k' || n, 'k', 'waitForEvent', 'waiting', 1, 0, 1, ` +
      `'callback k' || n, ${now}, ${now} from "workflow_instance_workflows" as i cross join ${numbersTo(dialect, CALLBACKS_OF_EACH)} ` +
      `where i."workflowName" = 'Asker'`,
  ];
};
