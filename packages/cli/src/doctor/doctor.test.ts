/** `escapement doctor`: each check against a real fault. */
import { createServer } from "node:http";
import { join } from "node:path";
import {
  bearerAuth,
  createEngine,
  defineWorkflow,
  type EngineOptions,
  type WorkflowsRegistry,
} from "@escapement/engine";
import { postgres } from "@escapement/engine/postgres";
import { sqlite } from "@escapement/engine/sqlite";
import { serve } from "@escapement/node";
import {
  clockEnvironment,
  createPostgresDatabase,
  pgBouncerAvailable,
  startPgBouncer,
  temporaryDirectory,
} from "@escapement-internal/test-servers";
import Libsql from "libsql";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runCommand } from "../testing-command.ts";
import type { Finding } from "./finding.ts";

vi.setConfig({ testTimeout: 150_000, hookTimeout: 60_000 });

const TOKEN = "a-token-of-the-doctors-tests";
const cleanups: (() => unknown)[] = [];
let file: string;
beforeEach(() => {
  const directory = temporaryDirectory();
  cleanups.push(() => directory.remove());
  file = join(directory.path, "data.db");
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

interface Examined {
  readonly code: number | null;
  readonly checks: readonly Finding[];
  readonly of: (check: string) => Finding | undefined;
}

async function examine(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Examined> {
  const { code, stdout, stderr } = await runCommand(["doctor", ...args, "--json"], environment);
  expect(stderr).toBe("");
  const { checks } = JSON.parse(stdout) as { readonly checks: readonly Finding[] };
  return { code, checks, of: (name) => checks.find(({ check }) => check === name) };
}

const toFailing = ({ checks }: Examined): readonly string[] =>
  checks
    .filter(({ check, result }) => result !== "ok" && check !== "secrets")
    .map(({ check, result }) => `${check} ${result}`);

const order = defineWorkflow({ name: "order" }, () => undefined);

/** A database with one queued order. */
async function fill(store = sqlite(file)): Promise<void> {
  const engine = createEngine({ workflows: { order }, store });
  await engine.createInstance("order", { id: "o-1" });
  await engine.close();
}

function execute(...texts: readonly string[]): void {
  const connection = new Libsql(file);
  for (const text of texts) connection.prepare(text).run();
  connection.close();
}

test("S8-012 doctor finds nothing where all is well, and ends with 0", async () => {
  await fill();
  const examined = await examine(["--db", file]);
  expect(toFailing(examined)).toEqual([]);
  expect(examined.code).toBe(0);
  expect(examined.checks.map(({ check }) => check)).toEqual([
    "reached",
    "schema",
    "durability",
    "clock",
    "ticks",
    "leases",
    "strays",
    "secrets",
  ]);
});

test("S8-012 doctor finds tables of an old version, tells what to do, and reads none of them", async () => {
  await fill();
  execute("update fragno_db_settings set value = '12' where key = 'workflows.schema_version'");
  const { code, stdout } = await runCommand(["doctor", "--db", file]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^fail +schema +the workflow tables are at version 12/m);
  expect(stdout).toMatch(/^schema\n {2}why: .+\n {2}do: {2}.*store\.migrate\(\)/m);
  expect(stdout).not.toMatch(/leases/);
});

test("S8-012 doctor finds work that no tick took, stuck leases, crash loops and stray rows", async () => {
  await fill();
  const task = `"workflow_task_workflows"`;
  execute(`update ${task} set "runAt" = "runAt" - 600000`);
  expect(await examine(["--db", file])).toMatchObject({ code: 1 });
  const late = await examine(["--db", file, "--late", "900"]);
  expect(late.of("ticks")).toMatchObject({ result: "ok" });
  const found = await examine(["--db", file]);
  expect(found.of("ticks")).toMatchObject({
    result: "fail",
    found: "work has been due for 10 min and nobody has taken it",
  });

  execute(`update ${task} set "status" = 'processing', "attempts" = 4, "lockedUntil" = "runAt"`);
  expect((await examine(["--db", file])).of("leases")).toMatchObject({
    result: "fail",
    found: expect.stringMatching(/^1 lease ended .*; 1 run lost three/) as string,
  });

  execute(`delete from ${task}`);
  expect((await examine(["--db", file])).of("strays")).toMatchObject({
    result: "fail",
    found: "1 live instance in no queue",
  });
});

test("S8-012 doctor tells of rows that an import left, and of no other", async () => {
  await fill();
  execute(
    `update "workflow_instance_workflows" set "workflowName" = '!import e-1234567 order', "status" = 'paused'`,
    `delete from "workflow_task_workflows"`,
  );
  const { of, code } = await examine(["--db", file]);
  expect(of("strays")).toMatchObject({
    result: "warn",
    found: "rows that 1 import is bringing or left when it died",
    advice: expect.stringContaining("import that file again") as string,
  });
  expect(code).toBe(0);
});

test("S8-012 doctor finds a journal that holds writers up", async () => {
  await fill();
  // A copy made by SQLite itself has no write-ahead log until it is enabled.
  execute(`vacuum into '${file}.copy'`);
  const examined = await examine(["--db", `${file}.copy`]);
  expect(toFailing(examined)).toEqual(["durability warn"]);
  expect(examined.code).toBe(0);
});

const skewed = clockEnvironment("+600");

describe.skipIf(process.env["ESCAPEMENT_TEST_SERVERS"] === "0")("on Postgres", () => {
  test.skipIf(skewed === null)("S8-012 doctor finds a clock that is wrong", async () => {
    // SQLite uses the machine's own clock, so this needs a server.
    const { url, drop } = await createPostgresDatabase();
    cleanups.push(drop);
    await fill(postgres(url));
    const examined = await examine(["--db", url], { ...skewed });
    expect(examined.of("clock")).toMatchObject({
      result: "fail",
      found: "this machine is 10 min ahead of the database",
    });
  });

  test("S8-012 doctor finds settings of durability, isolation and writing that are wrong", async () => {
    const { url, drop } = await createPostgresDatabase();
    cleanups.push(drop);
    await fill(postgres(url));
    const before = await examine(["--db", url]);
    // Test servers exist for an hour and do without `fsync`.
    expect(toFailing(before)).toEqual(["durability fail"]);
    expect(before.of("durability")?.found).toMatch(/^fsync/);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const name = `"${new URL(url).pathname.slice(1)}"`;
    for (const setting of [
      "synchronous_commit = off",
      "default_transaction_isolation = 'serializable'",
      "default_transaction_read_only = on",
    ])
      await client.query(`alter database ${name} set ${setting}`);
    await client.end();
    const examined = await examine(["--db", url]);
    expect(toFailing(examined)).toEqual(["durability fail", "isolation warn", "writable fail"]);
    expect(examined.of("durability")?.found).toMatch(/fsync and synchronous_commit.* off$/);
    expect(examined.code).toBe(1);
  });

  test("S8-012 doctor finds an encoding that has not every character", async () => {
    const { url, drop } = await createPostgresDatabase();
    cleanups.push(drop);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const name = `latin_${new URL(url).pathname.slice(1)}`;
    const own = Object.assign(new URL(url), { pathname: `/${name}` }).href;
    await client.query(`create database "${name}" encoding 'LATIN1' locale 'C' template template0`);
    cleanups.push(async () => {
      await client.query(`drop database "${name}" with (force)`);
      await client.end();
    });
    await fill(postgres(own));
    expect((await examine(["--db", url])).of("encoding")).toMatchObject({ result: "ok" });
    expect((await examine(["--db", own])).of("encoding")).toMatchObject({
      result: "fail",
      found: "the database's encoding is LATIN1",
    });
  });

  test.skipIf(!pgBouncerAvailable())(
    "S8-012 doctor finds a pooler that loses prepared statements",
    async () => {
      const { url, drop } = await createPostgresDatabase();
      cleanups.push(drop);
      await fill(postgres(url));
      const bouncer = await startPgBouncer(url);
      cleanups.push(() => bouncer.stop());
      const found = (await examine(["--db", bouncer.url])).of("pooler");
      expect(found).toMatchObject({ result: "warn" });
      expect(found?.advice).toMatch(/max_prepared_statements/);
    },
  );
});

async function serveEngine(
  http: NonNullable<EngineOptions<WorkflowsRegistry>["http"]>,
): Promise<string> {
  const logger = { log: () => undefined };
  const engine = createEngine({ workflows: { order }, store: sqlite(file), http, logger });
  const server = await serve({ engine, port: 0 });
  cleanups.push(async () => {
    await server.close();
    await engine.close();
  });
  return `${server.url}/api/workflows`;
}

test("S8-012 doctor finds over HTTP what is open, a secret that is missing, and a token that is refused", async () => {
  await fill();
  const open = await examine(["--url", await serveEngine({ open: true })]);
  expect(toFailing(open)).toEqual(["authorization fail", "tick secret warn"]);
  expect(open.code).toBe(1);

  const guarded = { authorizeRequest: bearerAuth(TOKEN), tick: { bearerSecret: `${TOKEN}-ticks` } };
  const url = await serveEngine(guarded);
  const good = await examine(["--url", url], { ESCAPEMENT_TOKEN: TOKEN });
  expect([toFailing(good), good.code]).toEqual([[], 0]);
  expect(toFailing(await examine(["--url", url]))).toEqual(["token fail"]);

  execute(`update "workflow_task_workflows" set "runAt" = "runAt" - 600000`);
  const late = await examine(["--url", url], { ESCAPEMENT_TOKEN: TOKEN });
  expect(late.of("ticks")).toMatchObject({
    result: "fail",
    found: expect.stringMatching(/^order o-1 has been due for 10 min/) as string,
  });
});

test("a server and a database that are away are told of as such", async () => {
  const gone = await examine(["--url", "http://127.0.0.1:1"]);
  expect([toFailing(gone), gone.code]).toEqual([["reached fail"], 1]);
  const pages = createServer((_request, response) => response.writeHead(404).end("<h1>No</h1>"));
  await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve));
  cleanups.push(() => pages.close());
  const { port } = pages.address() as { readonly port: number };
  expect(toFailing(await examine(["--url", `http://127.0.0.1:${port}`]))).toEqual(["reached fail"]);
  const away = await examine(["--db", "postgres://ops:hush-hush@127.0.0.1:1/orders"]);
  expect([toFailing(away), away.code]).toEqual([["reached fail"], 1]);
  expect(JSON.stringify(away.checks)).not.toContain("hush-hush");
  expect((await runCommand(["doctor"])).code).toBe(2);
});
