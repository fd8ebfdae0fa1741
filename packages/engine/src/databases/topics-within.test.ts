/** Topics beside a caller's transactions, on Postgres: two real connections, one in the middle of a transaction. */
import { createPostgresDatabase } from "@escapement-internal/test-servers";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createEngine, defineTopic, defineWorkflow } from "../index.ts";
import { postgres } from "./postgres.ts";

const news = defineTopic({ name: "news" });
const W = defineWorkflow({ name: "w" }, async (_event, step) => {
  const { payload } = await step.waitForTopic("wait", news);
  return payload;
});

let database: Awaited<ReturnType<typeof createPostgresDatabase>>;
beforeAll(async () => {
  database = await createPostgresDatabase();
});
afterAll(() => database.drop());

async function open() {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const engine = createEngine({ workflows: { W }, topics: [news], store: postgres(database.url) });
  const outputOf = async (id: string): Promise<unknown> => {
    const { status, output } = (await engine.getInstance("w", id)).details;
    return status === "complete" ? output : status;
  };
  const close = async (): Promise<void> => {
    await client.end();
    await engine.close();
  };
  return { client, engine, outputOf, close };
}

/** Whether another connection's session waits for a lock. */
const isLocked = async (client: pg.Client): Promise<boolean> => {
  const { rows } = await client.query(
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows.length > 0;
};

test("S6-015 a run that begins to wait while a message is being committed comes after it, and misses no later one", async () => {
  const { client, engine, outputOf, close } = await open();
  try {
    await engine.emit(news, 0);
    await engine.workflows.W.create({ id: "late" });
    await client.query("begin");
    // As far as an emit has come after its first statements.
    await client.query(`select "id" from workflow_topic_workflows for update`);
    const parking = engine.tick();
    // Its commit waits for the topic: it comes neither before the message nor between the message and its waits.
    await expect.poll(() => isLocked(client), { interval: 5, timeout: 60_000 }).toBe(true);
    await engine.with(client).emit(news, 1);
    await client.query("commit");
    await parking;
    expect(await outputOf("late")).toBe("waiting");
    expect(await engine.listWaiters(news)).toMatchObject([{ id: "late" }]);
    expect(await engine.emit(news, 2)).toEqual({ duplicate: false, delivered: 1 });
    await engine.tick();
    expect(await outputOf("late")).toBe(2);
  } finally {
    await close();
  }
});

test("S6-015 a message commits with the caller's transaction, or not at all, and is handed on after it", async () => {
  const { client, engine, outputOf, close } = await open();
  try {
    await engine.workflows.W.create({ id: "x" });
    await engine.tick();
    for (const end of ["rollback", "commit"]) {
      await client.query("begin");
      const within = engine.with(client);
      expect(await within.emit(news, end, { id: "once" })).toEqual({
        duplicate: false,
        delivered: 0,
      });
      expect(await within.emit(news, end, { id: "once" })).toEqual({
        duplicate: true,
        delivered: 0,
      });
      await expect(within.emit(news, "another", { id: "once" })).rejects.toMatchObject({
        code: "EVENT_ID_CONFLICT",
      });
      await client.query(end);
      within.committed();
      await engine.tick();
      await engine.tick();
      expect(await outputOf("x")).toBe(end === "commit" ? "commit" : "waiting");
    }
  } finally {
    await close();
  }
});
