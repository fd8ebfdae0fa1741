/** What a transaction holds is passed over by claims and waited for by events. Postgres: elsewhere there is one writer. */
import { createSqlStore } from "@escapement/engine/store/sql";
import type { Database } from "@escapement/db";
import type { Statement } from "@escapement/db/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openDatabase } from "../subjects/open-database.ts";
import { POSTGRES, type TestSubject } from "../subjects/test-database.ts";
import { type Api, INSTANCES, startApi } from "./http-client.ts";

const HOLD_SECONDS = 3;

let subject: TestSubject;
let database: Database;
let api: Api;

beforeAll(async () => {
  subject = await POSTGRES.open();
  database = await openDatabase(subject.url, { maxConnections: 6 });
  api = startApi(createSqlStore({ database }));
});
afterAll(async () => {
  await database.close();
  await subject.remove();
});

const statement = (text: string): Statement => ({ text, values: [] });

/** Locks rows, keeps them for a while, then writes; resolves when the rows are locked. */
async function hold(
  select: string,
  write: string,
): Promise<{ readonly released: Promise<unknown> }> {
  const marker = `marker_${Math.random().toString(36).slice(2)}`;
  const released = database.batch([
    statement(`${select} for update`),
    statement(`select set_config('application_name', '${marker}', false)`),
    statement(`select pg_sleep(${HOLD_SECONDS})`),
    statement(write),
  ]);
  const isHeld = async (): Promise<boolean> => {
    const result = await database.batch([
      statement(`select 1 as "one" from pg_stat_activity where application_name = '${marker}'`),
    ]);
    return result.kind === "committed" && result.rows[0]?.length === 1;
  };
  await expect.poll(isHeld).toBe(true);
  return { released };
}

it("S0-087 S4-030 a claim passes over the task that another transaction holds, and does not wait for it", async () => {
  await api.post(`${INSTANCES}/batch`, { instances: [{ id: "held" }, { id: "free" }] });
  const order: string[] = [];
  const { released } = await hold(
    `select 1 from "workflow_task_workflows" where "instanceId" = 'held'`,
    "select 1",
  );
  void released.then(() => order.push("let go"));
  const { body } = await api.tick();
  order.push("ticked");
  expect(body).toMatchObject({ processed: 1 });
  expect((await api.get(`${INSTANCES}/free`)).body).toMatchObject({
    details: { status: "waiting" },
  });
  expect((await api.get(`${INSTANCES}/held`)).body).toMatchObject({
    details: { status: "queued" },
  });
  await released;
  expect(order).toEqual(["ticked", "let go"]);
});

it("S0-150 S4-028 an event for an instance that is being ended waits for that, and is refused", async () => {
  await api.post(INSTANCES, { id: "ending" });
  // Paused, it has no task: the instance's own row is all that can be held.
  await api.post(`${INSTANCES}/ending/pause`);
  const { released } = await hold(
    `select 1 from "workflow_instance_workflows" where "instanceId" = 'ending'`,
    `update "workflow_instance_workflows" set "status" = 'terminated' where "instanceId" = 'ending'`,
  );
  const sent = await api.post(`${INSTANCES}/ending/events`, { type: "note" });
  await released;
  expect(sent).toMatchObject({ status: 409, body: { code: "INSTANCE_TERMINAL" } });
  const { body } = await api.get(`${INSTANCES}/ending/history`);
  expect(body).toMatchObject({ events: [] });
});

it("S0-122 S4-028 a command for a run whose last commit is under way waits for that, and is refused", async () => {
  await api.post(INSTANCES, { id: "finishing" });
  // As a commit does: the task first, then the instance.
  const { released } = await hold(
    `select 1 from "workflow_task_workflows" where "instanceId" = 'finishing'`,
    `update "workflow_instance_workflows" set "status" = 'complete' where "instanceId" = 'finishing'`,
  );
  const answer = await api.post(`${INSTANCES}/finishing/terminate`);
  await released;
  expect(answer).toMatchObject({ status: 409, body: { code: "INSTANCE_TERMINAL" } });
});
