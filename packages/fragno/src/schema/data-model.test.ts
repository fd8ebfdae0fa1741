/** The tables, columns and indexes after migrations: those that the founding spec requires. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrate } from "@escapement/engine/store/sql";
import {
  DATABASES,
  loadShape,
  openPostgres,
  type Shape,
  type TestDatabase,
} from "./testing-data-model.ts";

describe.each(DATABASES)("%s", (_name, open) => {
  let ours: TestDatabase;
  let shape: Shape;

  beforeAll(async () => {
    ours = await open();
    await migrate(ours.database);
    shape = await loadShape(ours);
  });
  afterAll(() => ours.drop());

  /** Names of a table's columns, without the two that Fragno adds. */
  const columnsOf = (table: string): readonly string[] =>
    (shape.columns[`${table}_workflows`] ?? [])
      .map((column) => `${column.split(" ")[0]}${column.includes(" null") ? "?" : ""}`)
      .filter((column) => !column.startsWith("_"));

  /** Indexes of a table, as "unique (a, b)". */
  const indexesOf = (table: string): readonly string[] =>
    Object.values(shape.indexes)
      .filter((index) => index.replace("unique ", "").startsWith(`${table}_workflows (`))
      .map((index) => index.replace(`${table}_workflows `, ""));
  test("S0-061 S0-068 instances, steps, events and tasks are tables of the namespace, beside those of topics and progress, and nothing else is", () => {
    expect(Object.keys(shape.columns).filter((name) => !name.startsWith("fragno_"))).toEqual([
      "workflow_event_workflows",
      "workflow_instance_workflows",
      "workflow_message_workflows",
      "workflow_progress_workflows",
      "workflow_step_workflows",
      "workflow_task_workflows",
      "workflow_topic_wait_workflows",
      "workflow_topic_workflows",
    ]);
  });

  test("S0-069 S4-024 S4-031 workflow_instance has the columns of the spec, null only where it says so", () => {
    expect(columnsOf("workflow_instance")).toEqual(
      (
        "id instanceId workflowName status createdAt updatedAt startedAt? completedAt? params? output? " +
        "errorName? errorMessage? pauseRequested retentionUntil? runNumber errorDetail? endedBy? controlKey? " +
        "endRequested? parentWorkflowName? parentInstanceId? parentRunNumber? parentStepKey? onParentEnd? keyNumber? forkedFrom? " +
        "deadlineAt? tags? memo? retryCount? traceContext?"
      ).split(" "),
    );
  });

  test("S0-072 S0-073 instances are unique per workflow and listed by status or age through an index", () => {
    const indexes = indexesOf("workflow_instance");
    expect(indexes).toEqual(
      expect.arrayContaining([
        "unique (workflowName, instanceId)",
        // Instead of (workflowName, status, updatedAt): a list that is ordered by a changing column misses rows.
        "(workflowName, status, createdAt)",
        "(workflowName, createdAt)",
      ]),
    );
    expect(indexes).not.toContain("(workflowName, status, updatedAt)");
  });

  test("S0-075 S4-024 S4-031 workflow_step has the columns of the spec and ours for lost attempts and settling order", () => {
    expect(columnsOf("workflow_step")).toEqual(
      (
        "id workflowName instanceId runNumber stepKey name type status attempts lostAttempts maxAttempts " +
        "timeoutMs? nextRetryAt? wakeAt? waitEventType? result? errorName? errorMessage? settledOrder? " +
        "createdAt updatedAt errorDetail? startedKeys? attemptStartedAt? runner? failedAttempts?"
      ).split(" "),
    );
  });

  test("S0-076 S0-077 S0-078 S4-025 S4-026 steps are unique by key, history and open waits are read through an index", () => {
    const where = shape.indexes["idx_waiting_wakeAt_workflow_step_workflows"]?.split(" where ")[1];
    expect(where).toContain("'waiting'");
    expect(indexesOf("workflow_step")).toEqual(
      expect.arrayContaining([
        "unique (workflowName, instanceId, runNumber, stepKey)",
        "(workflowName, instanceId, runNumber, createdAt)",
        `(workflowName, instanceId, runNumber, status, wakeAt) where ${where}`,
      ]),
    );
  });

  test("S0-079 workflow_event has the columns of the spec", () => {
    expect(columnsOf("workflow_event")).toEqual(
      (
        "id workflowName instanceId runNumber type payload? createdAt deliveredAt? consumedByStepKey? eventId? sizeBytes? " +
        "reply? traceContext?"
      ).split(" "),
    );
  });

  test("S0-080 undelivered events and the history of events are read through an index", () => {
    const undelivered = shape.indexes["idx_undelivered_workflow_event_workflows"] ?? "";
    expect(undelivered).toMatch(
      /\(workflowName, instanceId, runNumber, _internalId\) where .*"deliveredAt" is null/iu,
    );
    expect(indexesOf("workflow_event")).toContain(
      "(workflowName, instanceId, runNumber, createdAt)",
    );
  });

  test("S0-081 S4-024 workflow_task has the columns of the spec and a priority", () => {
    expect(columnsOf("workflow_task")).toEqual(
      (
        "id workflowName instanceId runNumber kind priority runAt status attempts maxAttempts lastError? " +
        "lockedUntil? lockOwner? createdAt updatedAt historyBytes? claimNumber?"
      ).split(" "),
    );
  });

  test("S0-082 S0-083 S4-026 due tasks, ended leases and held leases are found through an index", () => {
    expect(indexesOf("workflow_task")).toEqual(
      expect.arrayContaining([
        expect.stringMatching(
          /^\(workflowName, (status, )?priority, runAt(, instanceId)?\) where .*pending/u,
        ),
        expect.stringMatching(
          /^\(workflowName, (status, )?lockedUntil(, instanceId)?\) where .*processing/u,
        ),
        "unique (workflowName, instanceId, runNumber)",
        expect.stringMatching(/^\(lockOwner\) where .*is not null/iu),
      ]),
    );
  });

  test("S4-031 what is JSON is text, on SQLite as on Postgres", () => {
    const json = ["params", "output", "errorDetail", "result", "startedKeys", "payload"];
    const types = Object.entries(shape.columns)
      .filter(([table]) => table.startsWith("workflow_"))
      .flatMap(([, columns]) => columns.map((column) => column.toLowerCase().split(" ")))
      .filter(([name]) => json.some((column) => column.toLowerCase() === name))
      .map(([, ...type]) => type.join(" "));
    expect(types).toEqual(Array.from({ length: 7 }, () => "text null"));
  });
});

test("an id longer than 30 characters is refused by Postgres", async () => {
  const opened = await openPostgres();
  await migrate(opened.database);
  const ids = await opened.query(
    `select character_maximum_length as "length" from information_schema.columns where column_name = 'id'`,
  );
  expect(ids.map((row) => row["length"])).toEqual(Array.from({ length: 10 }, () => 30));
  await opened.drop();
});
