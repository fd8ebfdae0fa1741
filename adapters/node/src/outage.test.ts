/** Real databases that are down: at the start of the process, and again later. */
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import {
  createPostgresDatabase,
  findFreePort,
  sqldAvailable,
  startSqld,
} from "@escapement-internal/test-servers";
import type { Database } from "@escapement/db";
import { createLibsqlDatabase } from "@escapement/db/libsql";
import { createPgDatabase } from "@escapement/db/pg";
import { createEngine, defineWorkflow, type Logger } from "@escapement/engine";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { createClient } from "@libsql/client";
import { afterEach, expect, test } from "vitest";
import { createNodePlatform, serve } from "./index.ts";

if (!sqldAvailable()) console.warn("outages of sqld SKIPPED: sqld is not installed");

const HELLO = defineWorkflow({ name: "hello" }, (_event, step) => step.do("say", () => "hello"));

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A port in front of a database that only listens while it is open. */
interface Gate {
  readonly url: string;
  open(): Promise<void>;
  /** Refuses new connections and cuts existing ones. */
  shut(): Promise<void>;
}

async function createGate(url: string): Promise<Gate> {
  const target = new URL(url);
  const [host, port] = [target.hostname, Number(target.port)];
  const gated = new URL(url);
  gated.port = String(await findFreePort());
  const sockets = new Set<Socket>();
  let server: Server | null = null;
  const gate: Gate = {
    url: gated.href,
    open: async () => {
      server = createServer((client) => {
        const upstream = connect(port, host);
        for (const socket of [client, upstream]) {
          sockets.add(socket);
          socket.on("error", () => socket.destroy());
        }
        client.pipe(upstream).pipe(client);
      }).listen(Number(gated.port), "127.0.0.1");
      await once(server, "listening");
    },
    shut: async () => {
      const closing = server;
      server = null;
      for (const socket of sockets) socket.destroy();
      sockets.clear();
      closing?.close();
      if (closing !== null) await once(closing, "close");
    },
  };
  cleanups.push(() => gate.shut());
  return gate;
}

interface Backend {
  readonly url: string;
  readonly connect: (url: string) => Database;
}

async function openPostgres(): Promise<Backend> {
  const database = await createPostgresDatabase();
  cleanups.push(() => database.drop());
  return {
    url: database.url,
    connect: (connectionString) => createPgDatabase({ connectionString }),
  };
}

async function openSqld(): Promise<Backend> {
  const server = await startSqld();
  cleanups.push(() => server.stop());
  return { url: server.url, connect: (url) => createLibsqlDatabase(createClient({ url })) };
}

interface Application {
  /** [event, code] of each log line. */
  readonly lines: unknown[];
  create(id: string): Promise<Response>;
  load(id: string): Promise<Response>;
}

/** Starts it like a process: nothing here waits for the database. */
async function startApplication(database: Database): Promise<Application> {
  const lines: unknown[] = [];
  const logger: Logger = { log: (_level, event, { code }) => void lines.push([event, code]) };
  const store = createSqlStore({ database });
  const platform = createNodePlatform({ pollMs: 50 });
  const engine = createEngine({
    workflows: { HELLO },
    store,
    platform,
    logger,
    http: { open: true },
  });
  const server = await serve({ engine, port: 0 });
  const worker = platform.start({ server });
  cleanups.push(
    () => store.close(),
    () => worker.stop(),
  );
  const instances = `${server.url}/api/workflows/workflows/hello/instances`;
  const headers = { "content-type": "application/json" };
  return {
    lines,
    create: (id) => fetch(instances, { method: "POST", headers, body: JSON.stringify({ id }) }),
    load: (id) => fetch(`${instances}/${id}`),
  };
}

const patience = { interval: 20, timeout: 60_000 };

async function expectRefused({ create, lines }: Application, id: string): Promise<void> {
  const refusal = await create(id);
  expect(refusal.status).toBe(503);
  expect(await refusal.json()).toMatchObject({ code: "STORE_UNAVAILABLE" });
  const line = ["loop.claim_failed", "STORE_UNAVAILABLE"];
  await expect.poll(() => lines, patience).toContainEqual(line);
}

async function expectDone({ create, load }: Application, id: string): Promise<void> {
  await expect.poll(async () => (await create(id)).status, patience).not.toBe(503);
  const look = async (): Promise<unknown> => (await load(id)).json();
  await expect.poll(look, patience).toMatchObject({ details: { status: "complete" } });
}

test.each([
  ["Postgres", openPostgres],
  ...(sqldAvailable() ? ([["sqld", openSqld]] as const) : []),
] as const)(
  "%s away at the start, and again later: refused and logged by code, and the same process goes on",
  async (_name, openBackend) => {
    const backend = await openBackend();
    const direct = backend.connect(backend.url);
    await migrate(direct);
    await direct.close();
    const gate = await createGate(backend.url);
    const application = await startApplication(backend.connect(gate.url));
    await expectRefused(application, "cold");
    await gate.open();
    await expectDone(application, "first");
    await gate.shut();
    await expectRefused(application, "midway");
    await gate.open();
    await expectDone(application, "second");
    for (const id of ["cold", "midway"]) expect((await application.load(id)).status).toBe(404);
  },
);
