/** Listening on real servers: what arrives, what is lost, and what keeps notifications back. */
import {
  createPostgresDatabase,
  pgBouncerAvailable,
  startPgBouncer,
} from "@escapement-internal/test-servers";
import { afterEach, expect, test } from "vitest";
import type { Database, Listening, Row } from "../../batch.ts";
import { createPgDatabase } from "./index.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

function open(options: Parameters<typeof createPgDatabase>[0]): Database {
  const database = createPgDatabase({ max: 2, ...options });
  cleanups.push(() => database.close());
  return database;
}

async function freshUrl(): Promise<string> {
  const server = await createPostgresDatabase();
  cleanups.push(() => server.drop());
  return server.url;
}

async function run(database: Database, text: string, ...values: string[]): Promise<readonly Row[]> {
  const result = await database.batch([{ text, values }]);
  return result.kind === "committed" ? (result.rows[0] ?? []) : [];
}

const notify = (database: Database, channel: string): Promise<unknown> =>
  run(database, `select ${database.dialect.notify?.("$1")} as done`, channel);

/** The listeners of the channel, according to the server's list of connections. */
const listeners = (database: Database, channel: string): Promise<readonly Row[]> =>
  run(
    database,
    "select pid from pg_stat_activity where datname = current_database() and query in ($1, 'select 1')",
    `listen "${channel}"`,
  );

interface Ear {
  readonly stop: () => void;
  hints: number;
  readonly troubles: [code: unknown, isFinal: boolean][];
}

function hear(database: Database, channel: string, others: Partial<Listening> = {}): Ear {
  const ear = { hints: 0, troubles: [] as Ear["troubles"] };
  const stop = database.listen?.({
    channel: async () => channel,
    isDue: async () => false,
    onHint: () => (ear.hints += 1),
    onTrouble: (error, isFinal) =>
      ear.troubles.push([(error as { readonly code?: unknown }).code, isFinal]),
    ...others,
  });
  return Object.assign(ear, { stop: stop ?? (() => undefined) });
}

test("S4-029 who listens is told once of what came before, and then of each notification of its channel alone", async () => {
  const url = await freshUrl();
  const [database, other] = [open({ connectionString: url }), open({ connectionString: url })];
  const name = `Names "of" channels`.replaceAll('"', "_");
  const ear = hear(database, name);
  await expect.poll(() => ear.hints).toBe(1);
  await notify(other, "another");
  await notify(other, name.toLowerCase());
  await notify(other, name);
  await expect.poll(() => ear.hints).toBe(2);
  expect(ear.troubles).toEqual([]);
});

test("S4-029 a notification goes with its batch: not before it is committed, and not when it is refused", async () => {
  const url = await freshUrl();
  const [database, other] = [open({ connectionString: url }), open({ connectionString: url })];
  const ear = hear(database, "c");
  await expect.poll(() => ear.hints).toBe(1);
  const told = { text: `select ${other.dialect.notify?.("$1")} as done`, values: ["c"] };
  const refused = { text: "select 1 / $1::int as one", values: [0] };
  await expect(other.batch([told, refused])).rejects.toMatchObject({ code: "DATABASE_REJECTED" });
  await other.batch([told, told, told]);
  await notify(other, "c");
  await expect.poll(() => ear.hints).toBe(3);
});

test("S4-029 a connection that the server ended is opened anew, and tells of what came meanwhile", async () => {
  const url = await freshUrl();
  const [database, other] = [open({ connectionString: url }), open({ connectionString: url })];
  const ear = hear(database, "c");
  for (let ended = 1; ended <= 3; ended += 1) {
    await expect.poll(() => ear.hints).toBe(ended);
    const [listener] = await listeners(other, "c");
    await run(other, "select pg_terminate_backend($1::int)", String(listener?.["pid"]));
    await expect.poll(() => ear.troubles).toHaveLength(ended);
  }
  await expect.poll(() => ear.hints).toBe(4);
  await notify(other, "c");
  await expect.poll(() => ear.hints).toBe(5);
  expect(ear.troubles.every(([, isFinal]) => !isFinal)).toBe(true);
});

test("S4-029 what cannot be had now is tried again: the channel, and a connection", async () => {
  const url = await freshUrl();
  let asked = 0;
  const channel = async (): Promise<string> => {
    asked += 1;
    if (asked < 3) throw new Error("no tables yet");
    return "c";
  };
  const ear = hear(open({ connectionString: url }), "", { channel });
  await expect.poll(() => ear.hints).toBe(1);
  expect(ear.troubles).toHaveLength(2);
});

test("S4-029 nothing is left of it once it is stopped, or its client is closed, at whatever moment", async () => {
  const url = await freshUrl();
  const admin = open({ connectionString: url });
  const [stopped, closed] = [open({ connectionString: url }), open({ connectionString: url })];
  const ears = [hear(stopped, "c"), hear(closed, "c")];
  // The first listener also receives the other's test of the channel.
  await expect.poll(() => Math.min(...ears.map(({ hints }) => hints))).toBeGreaterThan(0);
  for (const moment of [0, 1, 3, 10]) {
    const early = hear(stopped, "c");
    for (let turn = 0; turn < moment; turn += 1) await run(admin, "select 0");
    early.stop();
  }
  ears[0]?.stop();
  await closed.close();
  await expect.poll(() => listeners(admin, "c")).toEqual([]);
  expect(ears.flatMap(({ troubles }) => troubles)).toEqual([]);
});

test("a supplied pool lends its settings and none of its connections", async () => {
  const { Pool } = await import("pg");
  const { hostname, port, pathname, username } = new URL(await freshUrl());
  const pool = new Pool({
    host: hostname,
    port: Number(port),
    database: pathname.slice(1),
    user: username,
    password: "of the pool",
    max: 1,
  });
  cleanups.push(() => pool.end());
  const database = open({ pool });
  const ear = hear(database, "c");
  await expect.poll(() => ear.hints).toBe(1);
  await notify(database, "c");
  await expect.poll(() => ear.hints).toBe(2);
  expect(pool.totalCount).toBe(1);
});

test.skipIf(!pgBouncerAvailable())(
  "S4-029 a pooler that gives connections to others keeps notifications away: it is said once, and nobody goes on listening",
  async () => {
    const url = await freshUrl();
    const bouncer = await startPgBouncer(url);
    cleanups.push(() => bouncer.stop());
    const [database, admin] = [
      open({ connectionString: bouncer.url }),
      open({ connectionString: url }),
    ];
    const ear = hear(database, "c");
    await expect.poll(() => ear.troubles).toEqual([["DATABASE_REJECTED", true]]);
    expect(await run(database, "select 1 as one")).toEqual([{ one: 1 }]);
    expect(await listeners(admin, "c")).toEqual([]);
  },
);
