/** What is in the engine's tables, read past the engine. */
import type { Database, Row } from "@escapement/db";

export interface InstanceRow {
  readonly id: string;
  readonly workflowName: string;
  readonly status: string;
  readonly errorName: string | null;
}

export interface StepRow {
  readonly id: string;
  readonly key: string;
  readonly type: string;
  readonly status: string;
  readonly attempts: number;
  readonly lostAttempts: number;
  readonly maxAttempts: number;
}

export interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly payload: string;
  readonly isDelivered: boolean;
}

export interface Tables {
  readonly instances: readonly InstanceRow[];
  readonly steps: readonly StepRow[];
  readonly events: readonly EventRow[];
  /** Rows of the queue that are left, as JSON. */
  readonly tasks: readonly string[];
}

export async function query(database: Database, text: string): Promise<readonly Row[]> {
  const result = await database.batch([{ text, values: [] }]);
  if (result.kind !== "committed") throw new RangeError(`reading was refused: ${result.kind}`);
  return result.rows[0] ?? [];
}

const text = (row: Row, column: string): string => String(row[column]);

export async function readTables(database: Database): Promise<Tables> {
  const instances = await query(
    database,
    `select "instanceId", "workflowName", "status", "errorName", "errorMessage" from workflow_instance_workflows`,
  );
  const steps = await query(
    database,
    `select "instanceId", "stepKey", "type", "status", "attempts", "lostAttempts", "maxAttempts"
     from workflow_step_workflows`,
  );
  const events = await query(
    database,
    `select "instanceId", "type", "payload", "deliveredAt" from workflow_event_workflows order by "_internalId"`,
  );
  const tasks = await query(database, `select * from workflow_task_workflows`);
  return {
    instances: instances.map((row) => ({
      id: text(row, "instanceId"),
      workflowName: text(row, "workflowName"),
      status: text(row, "status"),
      errorName:
        row["errorName"] === null
          ? null
          : `${text(row, "errorName")}: ${text(row, "errorMessage")}`,
    })),
    steps: steps.map((row) => ({
      id: text(row, "instanceId"),
      key: text(row, "stepKey"),
      type: text(row, "type"),
      status: text(row, "status"),
      attempts: Number(row["attempts"]),
      lostAttempts: Number(row["lostAttempts"]),
      maxAttempts: Number(row["maxAttempts"]),
    })),
    events: events.map((row) => ({
      id: text(row, "instanceId"),
      type: text(row, "type"),
      payload: String(JSON.parse(text(row, "payload"))),
      isDelivered: row["deliveredAt"] !== null,
    })),
    tasks: tasks.map((row) =>
      JSON.stringify(row, (_key, value: unknown) =>
        typeof value === "bigint" ? Number(value) : value,
      ),
    ),
  };
}

/** Instances that have not ended. */
export async function countOpen(database: Database): Promise<number> {
  const rows = await query(
    database,
    `select count(*) as "count" from workflow_instance_workflows
     where "status" not in ('complete', 'errored', 'terminated')`,
  );
  return Number(rows[0]?.["count"]);
}
