import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { expect, test } from "vitest";
import {
  createPostgresDatabase,
  pgBouncerAvailable,
  spawnServer,
  sqldAvailable,
  startPgBouncer,
  startPostgres,
  startPostgresProxy,
  startSqld,
} from "./index.ts";

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  const { rows } = await client.query({ text: sql, rowMode: "array" });
  await client.end();
  return rows.flat();
}

const isAlive = (pid: number): boolean => {
  try {
    // A zombie still has a pid; `ps` tells it from the living.
    return !execFileSync("ps", ["-o", "stat=", "-p", String(pid)])
      .toString()
      .startsWith("Z");
  } catch {
    return false;
  }
};

test("each database is fresh and goes away when dropped", async () => {
  const database = await createPostgresDatabase();
  await query(database.url, "create table thing (id int)");
  await database.drop();
  await expect(query(database.url, "select 1")).rejects.toThrow("does not exist");
});

test("a private server is durable and keeps data and port over restarts and crashes", async () => {
  const server = await startPostgres();
  expect(await query(server.url, "show fsync")).toEqual(["on"]);
  await query(server.url, "create table thing as select 42 as id");
  const firstPid = server.pid;
  await server.restart();
  expect(server.pid).not.toBe(firstPid);
  await server.restart("SIGKILL");
  expect(await query(server.url, "select id from thing")).toEqual([42]);
  await server.stop();
  expect(isAlive(server.pid)).toBe(false);
});

test.each(["fast", "immediate"] as const)(
  "pg_ctl restarts a private server in %s mode: data and port stay, and it is stopped like any other",
  async (mode) => {
    const server = await startPostgres();
    await query(server.url, "create table thing as select 42 as id");
    const firstPid = server.pid;
    await server.pgCtlRestart(mode);
    expect([server.pid === firstPid, isAlive(firstPid), isAlive(server.pid)]).toEqual([
      false,
      false,
      true,
    ]);
    expect(await query(server.url, "select id from thing")).toEqual([42]);
    await server.restart();
    expect(await query(server.url, "select id from thing")).toEqual([42]);
    await server.pgCtlRestart(mode);
    await server.stop();
    expect(isAlive(server.pid)).toBe(false);
  },
);

test("servers die with the process that started them, even when it is killed", async () => {
  const entry = new URL("./index.ts", import.meta.url).href;
  const script = `
    const { startPostgres, startSqld, sqldAvailable } = await import(${JSON.stringify(entry)});
    const restarted = await startPostgres();
    await restarted.pgCtlRestart("fast");
    const pids = [(await startPostgres()).pid, restarted.pid];
    if (sqldAvailable()) pids.push((await startSqld()).pid);
    console.log(JSON.stringify(pids));
    setInterval(() => {}, 1000);`;
  const tsx = fileURLToPath(import.meta.resolve("tsx"));
  const child = spawn(process.execPath, [
    "--import",
    `file://${tsx}`,
    "--input-type=module",
    "-e",
    script,
  ]);
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const pids = JSON.parse(line.toString()) as number[];
  expect(pids.every(isAlive)).toBe(true);
  child.kill("SIGKILL");
  await expect.poll(() => pids.some(isAlive), { timeout: 60_000 }).toBe(false);
});

test("a program that is stopped takes along what it has started, even what is frozen", async () => {
  const script = `sleep 600 & kill -s STOP $!; echo "child $!"; wait`;
  let child = 0;
  const server = await spawnServer({
    command: "sh",
    args: ["-c", script],
    ready: async (output) => {
      child = Number(/child (\d+)/.exec(output())?.[1] ?? 0);
      return child !== 0;
    },
  });
  expect([server.pid, child].every(isAlive)).toBe(true);
  await server.stop();
  await expect.poll(() => [server.pid, child].some(isAlive)).toBe(false);
});

test("the proxy counts trips and statements and cuts connections", async () => {
  const database = await createPostgresDatabase();
  const proxy = await startPostgresProxy(database.url);
  const client = new pg.Client({ connectionString: proxy.url });
  client.on("error", () => undefined);
  await client.connect();
  proxy.reset();
  await client.query("select 1");
  await client.query("select $1::int", [2]);
  expect(proxy.stats()).toEqual({ trips: 2, statements: 2, parses: 1, connections: 0 });
  const inFlight = client.query("select pg_sleep(10)");
  proxy.killConnections();
  await expect(inFlight).rejects.toThrow();
  await proxy.stop();
  await database.drop();
});

test.skipIf(!sqldAvailable())("sqld keeps data and port over restarts", async () => {
  const server = await startSqld();
  const execute = async (sql: string): Promise<string> => {
    const body = JSON.stringify({
      requests: [{ type: "execute", stmt: { sql } }, { type: "close" }],
    });
    return (await fetch(`${server.url}/v2/pipeline`, { method: "POST", body })).text();
  };
  await execute("create table thing as select 'kept' as word");
  await server.restart();
  expect(await execute("select word from thing")).toContain("kept");
  await server.stop();
});

test.skipIf(!pgBouncerAvailable())("PgBouncer pools transactions", async () => {
  const database = await createPostgresDatabase();
  const bouncer = await startPgBouncer(database.url);
  expect(await query(bouncer.url, "select 7")).toEqual([7]);
  await bouncer.stop();
  await database.drop();
});
