import { createPostgresDatabase } from "@escapement-internal/test-servers";
import type { Database } from "@escapement/db";
import type { Statement } from "@escapement/db/client";
import { createPgDatabase } from "@escapement/db/pg";
import { createSqliteDatabase } from "@escapement/db/sqlite";
import Libsql from "libsql";
import pg from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { newId, openSleep, step } from "../../testing/store-contract/builders.ts";
import { commitOf, createVerbs, parkIn } from "../../testing/store-contract/scene.ts";
import { createSqlStore, migrate } from "./index.ts";
import { compileStatements } from "../../testing/plans/compile-statements.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function openPostgres(): Promise<{ readonly database: Database; readonly url: string }> {
  const { url, drop } = await createPostgresDatabase();
  const database = createPgDatabase({ connectionString: url, max: 2 });
  cleanups.push(drop, () => database.close());
  return { database, url };
}

function openEmbedded(): Database {
  const database = createSqliteDatabase(new Libsql(":memory:"));
  cleanups.push(() => database.close());
  return database;
}

/** Records the size of each batch. */
function counting(database: Database): { readonly database: Database; readonly sizes: number[] } {
  const sizes: number[] = [];
  const batch = (statements: readonly Statement[]): ReturnType<Database["batch"]> => {
    sizes.push(statements.length);
    return database.batch(statements);
  };
  return {
    database: { dialect: database.dialect, batch, close: () => database.close() },
    sizes,
  };
}

const newInstance = (
  workflowName = "W",
): Parameters<ReturnType<typeof createSqlStore>["create"]>[0][0] => ({
  workflowName,
  instanceId: newId(),
  params: null,
  instanceRowId: newId(),
  taskRowId: newId(),
  start: null,
  claim: null,
});

const DATABASES: Readonly<Record<string, () => Promise<Database>>> = {
  Postgres: async () => (await openPostgres()).database,
  "embedded libSQL": async () => openEmbedded(),
};

describe.each(Object.entries(DATABASES))("SQL store on %s", (_name, open) => {
  test("every verb is one batch; a shared boundary is two statements, a lone one is one", async () => {
    const { database, sizes } = counting(await open());
    await migrate(database);
    const store = createSqlStore({ database });
    const verbs = createVerbs(store, "W");
    await store.create([newInstance(), newInstance()]);
    sizes.length = 0;
    const { runs } = await verbs.claim();
    expect(sizes).toHaveLength(1);
    sizes.length = 0;
    await store.commit(runs.map((run) => commitOf(run, { changes: [step("a")] })));
    expect(sizes).toEqual([2]);
    sizes.length = 0;
    const [alone] = runs;
    if (alone === undefined) throw new TypeError("no run");
    const boundary = { readsEvents: false, changes: [step("b")] } as const;
    await store.commit([commitOf(alone, boundary)]);
    expect(sizes).toEqual([1]);
    sizes.length = 0;
    const id = runs[0]?.run.instanceId ?? "";
    await verbs.send(id, "go");
    await verbs.control(id, "pause");
    await verbs.load(id);
    await store.commit(runs.map((run) => commitOf(run, { outcome: { kind: "release" } })));
    expect(sizes).toHaveLength(4);
  });

  test("real database time: what is created is due, what is parked is not", async () => {
    const database = await open();
    await migrate(database);
    const store = createSqlStore({ database });
    const verbs = createVerbs(store, "W");
    const before = await store.now();
    await store.create([newInstance()]);
    const run = await verbs.claimOne();
    expect(run.createdAt).toBeGreaterThanOrEqual(before);
    const { dueAt } = await verbs.end(run, parkIn(3_600_000), [
      openSleep("nap", { inMs: 3_600_000 }),
    ]);
    expect(dueAt).toBeGreaterThanOrEqual(before + 3_600_000);
    expect(await verbs.claim()).toMatchObject({ runs: [], nextWakeAt: dueAt });
  });

  test("a commit that the database refuses fails alone; the others of its call are applied", async () => {
    const database = await open();
    await migrate(database);
    const store = createSqlStore({ database });
    const verbs = createVerbs(store, "W");
    await store.create([newInstance(), newInstance(), newInstance()]);
    const { runs } = await verbs.claim();
    const id = newId();
    // Two steps of different runs must not share a row id, so the second one is refused.
    const results = await store.commit(
      runs.map((run, index) =>
        commitOf(run, { changes: [step("a", { id: index === 2 ? newId() : id })] }),
      ),
    );
    expect(results).toMatchObject([
      { kind: "committed" },
      { kind: "failed", error: { code: "INVARIANT_BROKEN" } },
      { kind: "committed" },
    ]);
  });

  test("a database without our tables is SCHEMA_MISMATCH", async () => {
    const store = createSqlStore({ database: await open() });
    await expect(createVerbs(store, "W").claim()).rejects.toMatchObject({
      code: "SCHEMA_MISMATCH",
    });
    await expect(store.create([newInstance()])).rejects.toMatchObject({ code: "SCHEMA_MISMATCH" });
  });

  test("a closed database is STORE_UNAVAILABLE, which may be tried again", async () => {
    const database = await open();
    await migrate(database);
    await database.close();
    await expect(createSqlStore({ database }).now()).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      retryable: true,
    });
  });
});

test("S5-019 what comes from outside to an instance whose rows are locked is refused in time, and may be tried again", async () => {
  const { database: migrated, url } = await openPostgres();
  await migrate(migrated);
  const database = createPgDatabase({ connectionString: url, lockTimeoutMs: 200 });
  cleanups.push(() => database.close());
  const store = createSqlStore({ database });
  const instance = newInstance();
  const { workflowName, instanceId } = instance;
  await store.create([instance]);
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  cleanups.push(() => holder.end());
  await holder.query(`begin; select 1 from "workflow_task_workflows" for update`);
  const at = createVerbs(store, workflowName);
  // The rows are held until both have returned; waiting for them would never end.
  const locked = { code: "STORE_UNAVAILABLE", retryable: true, details: { reason: "locked" } };
  await expect(at.control(instanceId, "terminate")).rejects.toMatchObject(locked);
  await expect(at.send(instanceId, "go")).rejects.toMatchObject(locked);
  expect(await at.claim()).toMatchObject({ runs: [] });
  await holder.query("rollback");
  expect(await at.control(instanceId, "terminate")).toMatchObject({ kind: "applied" });
});

describe("plans on Postgres", () => {
  /** The names of what a plan reads, from its lines. */
  const scansOf = (lines: readonly string[]): string[] =>
    lines.filter((line) => / Scan /u.test(line) && / on "?workflow_/u.test(line));

  async function explain(client: pg.Client, { text, values }: Statement): Promise<string[]> {
    await client.query("begin");
    const { rows } = await client.query<{ "QUERY PLAN": string }>(
      `explain (analyze, timing off) ${text}`,
      [...values],
    );
    await client.query("rollback");
    return rows.map((row) => row["QUERY PLAN"]);
  }

  test("what a claim reads does not depend on how many instances sleep", async () => {
    const { database, url } = await openPostgres();
    await migrate(database);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    cleanups.push(() => client.end());
    await client.query(
      `insert into "workflow_task_workflows" ("id", "workflowName", "instanceId", "runNumber", "kind", "priority", ` +
        `"runAt", "status", "attempts", "maxAttempts", "createdAt", "updatedAt") ` +
        `select 'sleeper' || n, 'W', 'sleeper' || n, 1, 'wake', 0, timestamp '2200-01-01' + n * interval '1 second', ` +
        `'pending', 0, 1, now(), now() from generate_series(1, 50000) as n`,
    );
    await client.query("analyze");
    const statements = compileStatements(database.dialect);
    const names = JSON.stringify([{ name: "W" }]);
    const plan = await explain(client, statements.claimTasks(newId(), 60_000, 100, names, "any"));
    const scans = scansOf(plan);
    expect(scans.length).toBeGreaterThanOrEqual(3);
    expect(scans.filter((line) => line.includes("Seq Scan"))).toEqual([]);
    const rowsRead = scans.map((line) => Number(/actual rows=([\d.]+)/u.exec(line)?.[1] ?? 0));
    expect(Math.max(...rowsRead)).toBe(0);
    expect(plan.filter((line) => line.includes("Rows Removed"))).toEqual([]);
  });

  test("a plan prepared on empty tables still finds an instance by its key when there are many", async () => {
    const { database, url } = await openPostgres();
    await migrate(database);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    cleanups.push(() => client.end());
    const { text } = compileStatements(database.dialect).loadInstance("", "");
    await client.query(`set plan_cache_mode = force_generic_plan`);
    await client.query(`prepare look_up as ${text}`);
    await client.query(`execute look_up('W', 'i-1')`);
    await client.query(
      `insert into "workflow_instance_workflows" ("id", "workflowName", "instanceId", "runNumber", "status", ` +
        `"pauseRequested", "createdAt", "updatedAt") ` +
        `select 'row' || n, 'W', 'i-' || n, 1, 'queued', false, now(), now() from generate_series(1, 2000) as n`,
    );
    const { rows } = await client.query<{ "QUERY PLAN": string }>(
      `explain (analyze, timing off) execute look_up('W', 'i-1000')`,
    );
    const plan = rows.map((row) => row["QUERY PLAN"]);
    expect(plan.filter((line) => line.includes("Rows Removed"))).toEqual([]);
    expect(scansOf(plan).filter((line) => line.includes("Seq Scan"))).toEqual([]);
  });
});
