/** Rows in bulk, as years of use would leave them. */
import type { Dialect } from "@escapement/db/client";

export interface Bulk {
  readonly workflowName: string;
  readonly count: number;
}

/** A table expression: the column `n` of `g` goes from 1 to the count. */
export const numbersTo = ({ name }: Dialect, count: number): string =>
  name === "postgres"
    ? `generate_series(1, ${count}) as g(n)`
    : `(with recursive g(n) as (select 1 union all select n + 1 from g where n < ${count}) select n from g) as g`;

/** Statements that insert instances that have finished, each with a step and an event that was taken. */
export function finishedRuns(dialect: Dialect, { workflowName, count }: Bulk): readonly string[] {
  const { now } = dialect;
  const createdAt = dialect.plusMs(now, "-n");
  const from = `from ${numbersTo(dialect, count)}`;
  const run = `'${workflowName}', '${workflowName}-' || n`;
  return [
    `insert into "workflow_instance_workflows" ("id", "workflowName", "instanceId", "runNumber", "status", ` +
      `"pauseRequested", "createdAt", "updatedAt") ` +
      `select '${workflowName}-i' || n, ${run}, 1, 'complete', false, ${createdAt}, ${now} ${from}`,
    `insert into "workflow_step_workflows" ("id", "workflowName", "instanceId", "runNumber", "stepKey", "name", ` +
      `"type", "status", "attempts", "lostAttempts", "maxAttempts", "settledOrder", "createdAt", "updatedAt") ` +
      `select '${workflowName}-s' || n, ${run}, 1, 'a', 'a', 'do', 'completed', 1, 0, 6, 1, ${now}, ${now} ${from}`,
    `insert into "workflow_event_workflows" ("id", "workflowName", "instanceId", "runNumber", "type", ` +
      `"createdAt", "deliveredAt") select '${workflowName}-e' || n, ${run}, 1, 'go', ${now}, ${now} ${from}`,
  ];
}

/** Statements that insert instances whose tasks wait: due at once, or in a hundred years. */
export function queuedRuns(
  dialect: Dialect,
  { workflowName, count, isDue }: Bulk & { readonly isDue: boolean },
): readonly string[] {
  const { now } = dialect;
  const createdAt = dialect.plusMs(now, "-n");
  const from = `from ${numbersTo(dialect, count)}`;
  const run = `'${workflowName}', '${workflowName}-q' || n`;
  const runAt = isDue ? now : dialect.fromMs("4102444800000");
  return [
    `insert into "workflow_instance_workflows" ("id", "workflowName", "instanceId", "runNumber", "status", ` +
      `"pauseRequested", "createdAt", "updatedAt") ` +
      `select '${workflowName}-qi' || n, ${run}, 1, 'waiting', false, ${createdAt}, ${now} ${from}`,
    `insert into "workflow_step_workflows" ("id", "workflowName", "instanceId", "runNumber", "stepKey", "name", ` +
      `"type", "status", "attempts", "lostAttempts", "maxAttempts", "wakeAt", "createdAt", "updatedAt") ` +
      `select '${workflowName}-qs' || n, ${run}, 1, 'z', 'z', 'sleep', 'waiting', 1, 0, 1, ${runAt}, ${now}, ${now} ${from}`,
    `insert into "workflow_task_workflows" ("id", "workflowName", "instanceId", "runNumber", "kind", "priority", ` +
      `"runAt", "status", "attempts", "maxAttempts", "createdAt", "updatedAt") ` +
      `select '${workflowName}-qt' || n, ${run}, 1, 'wake', 0, ${runAt}, 'pending', 0, 1, ${now}, ${now} ${from}`,
  ];
}

/** Statements that insert entries of progress: a long stream, and the streams of many instances. */
export function progressRows(dialect: Dialect, { workflowName, count }: Bulk): readonly string[] {
  const columns =
    `"id", "workflowName", "instanceId", "sequence", "runNumber", "stepKey", "sizeBytes", "totalBytes", "token", ` +
    `"commitNumber", "createdAt", "value"`;
  const values = `1, 'progress', 1, n, 't', n, ${dialect.now}, '1' from ${numbersTo(dialect, count)}`;
  const into = `insert into "workflow_progress_workflows" (${columns}) select '${workflowName}-`;
  return [
    `${into}p' || n, '${workflowName}', '${workflowName}', n, ${values}`,
    `${into}q' || n, '${workflowName}', '${workflowName}-' || n, 1, ${values}`,
  ];
}

/** Statements that insert waits for topics of other runs, and messages of them. */
export function topicRows(dialect: Dialect, { workflowName, count }: Bulk): readonly string[] {
  const { now } = dialect;
  const from = `from ${numbersTo(dialect, count)}`;
  return [
    `insert into "workflow_topic_workflows" ("id", "name", "sequence", "createdAt") ` +
      `select '${workflowName}-o' || n, '${workflowName}-' || n, 0, ${now} ${from}`,
    `insert into "workflow_message_workflows" ("id", "topic", "sequence", "sizeBytes", "createdAt", "message") ` +
      `select '${workflowName}-m' || n, '${workflowName}', n, 2, ${now}, '{}' ${from}`,
    `insert into "workflow_topic_wait_workflows" ("id", "topic", "sequence", "workflowName", "instanceId", "runNumber", "stepKey") ` +
      `select '${workflowName}-s' || n, '${workflowName}', 0, '${workflowName}', '${workflowName}-' || n, 1, 'a' ${from}`,
  ];
}
