import { once } from "node:events";
import type { AddressInfo } from "node:net";
import {
  createPostgresDatabase,
  sqldAvailable,
  startSqld,
  temporaryDirectory,
} from "@escapement-internal/test-servers";
import type { Database } from "@escapement/db";
import { createFragnoAdapter } from "@escapement/fragno";
import { createLibsqlDatabase } from "@escapement/db/libsql";
import { createPgDatabase } from "@escapement/db/pg";
import { applyRecommendedPragmas, createSqliteDatabase } from "@escapement/db/sqlite";
import { serve } from "@hono/node-server";
import { createClient } from "@libsql/client";
import Libsql from "libsql";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { initServer } from "./server/init.ts";

interface Opened {
  readonly database: Database;
  readonly drop: () => unknown;
}

const DATABASES: Readonly<Record<string, () => Promise<Opened>>> = {
  async Postgres(): Promise<Opened> {
    const { url, drop } = await createPostgresDatabase();
    return { database: createPgDatabase({ connectionString: url }), drop };
  },
  async "embedded libSQL"(): Promise<Opened> {
    const directory = temporaryDirectory();
    const connection = new Libsql(`${directory.path}/sessions.db`);
    applyRecommendedPragmas(connection);
    return { database: createSqliteDatabase(connection), drop: () => directory.remove() };
  },
  async sqld(): Promise<Opened> {
    const server = await startSqld();
    const database = createLibsqlDatabase(createClient({ url: server.url }));
    return { database, drop: () => server.stop() };
  },
};
const databases = Object.entries(DATABASES).filter(([name]) => name !== "sqld" || sqldAvailable());

describe.each(databases)("sessions over HTTP on %s", (_name, open) => {
  let opened: Opened;
  let app: Awaited<ReturnType<typeof initServer>>;
  let server: ReturnType<typeof serve>;

  beforeAll(async () => {
    opened = await open();
    app = await initServer(createFragnoAdapter({ database: opened.database }));
    server = serve({
      fetch: (request) => app.myFragment.handler(request),
      hostname: "127.0.0.1",
      port: 0,
    });
    await once(server, "listening");
  });
  afterAll(async () => {
    server.close();
    await app.dispatcher.stopPolling();
    await opened.database.close();
    await opened.drop();
  });

  async function call(method: string, path: string, body?: unknown) {
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/api/my-fragment${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    return { status: response.status, body: await response.json() };
  }

  it("S1-013 S1-014 S1-024 a session is created, takes a message and ends, all by the fragment's own routes", async () => {
    const created = await call("POST", "/sessions", { agentName: "ada" });
    expect(created).toMatchObject({ status: 200, body: { id: expect.any(String) } });
    const { id } = created.body as { id: string };
    expect(await call("GET", `/sessions/${id}`)).toMatchObject({
      body: { agent: "ada", messages: [] },
    });
    expect(await call("POST", `/sessions/${id}/messages`, { text: "hi" })).toMatchObject({
      status: 200,
    });
    const isComplete = async () =>
      expect(await call("GET", `/sessions/${id}`)).toMatchObject({
        body: { id, status: "complete", messages: [{ text: "hi" }] },
      });
    await vi.waitFor(isComplete, { timeout: 60_000 });
  });

  it("S1-015 nothing of workflows shows: input is judged and answered in the fragment's own words", async () => {
    // Fragno writes what it refuses to the console.
    const refusals = vi.spyOn(console, "error").mockImplementation(() => undefined);
    expect(await call("POST", "/sessions", {})).toMatchObject({ status: 400 });
    refusals.mockRestore();
    expect(await call("GET", "/sessions/nobody")).toMatchObject({
      status: 404,
      body: { code: "SESSION_NOT_FOUND" },
    });
    expect(await call("GET", "/workflows")).toMatchObject({ status: 404 });
  });
});
