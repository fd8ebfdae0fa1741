/** Statements that a step cannot commit are refused in its body; nothing of them, and nothing before them, is written. */
import { createPostgresDatabase, temporaryDirectory } from "@escapement-internal/test-servers";
import { createEngine, defineWorkflow } from "@escapement/engine";
import { postgres } from "@escapement/engine/postgres";
import { sqlite } from "@escapement/engine/sqlite";
import { stepSql, writeWithStep } from "@escapement/engine/step-sql";
import type { SqlStore } from "@escapement/engine/store/sql";
import Connection from "libsql";
import pg from "pg";
import { afterEach, describe, expect, it } from "vitest";

interface Place {
  readonly store: SqlStore;
  query(text: string): Promise<readonly unknown[]>;
}

const closings: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0).toReversed()) await close();
});

async function onPostgres(): Promise<Place> {
  const { url, drop } = await createPostgresDatabase();
  const client = new pg.Client(url);
  await client.connect();
  const store = postgres(url, { max: 2, logger: quiet });
  closings.push(drop, () => client.end());
  return { store, query: async (text) => (await client.query<object>(text)).rows };
}

async function onSqlite(): Promise<Place> {
  const directory = temporaryDirectory();
  const path = `${directory.path}/data.db`;
  const connection = new Connection(path);
  closings.push(
    () => directory.remove(),
    () => connection.close(),
  );
  const query = async (text: string): Promise<readonly unknown[]> =>
    connection.prepare(text).all([]);
  return { store: sqlite(path), query };
}

const quiet = { log: () => undefined };

const INSERT = "insert into entry values ('first', 'a')";

/** What callers without types may give. */
const REFUSED: readonly (readonly [string, unknown, unknown])[] = [
  ["no text", undefined, []],
  ["an empty text", " \n", []],
  ["COMMIT", "commit", []],
  ["ROLLBACK behind a comment", "-- undo\n/* all */ Rollback;", []],
  ["BEGIN", "begin", []],
  ["values that are no array", INSERT, "ab"],
  ["a point in time", INSERT, [new Date(0)]],
  ["an object", INSERT, [{ a: 1 }]],
  ["bytes", INSERT, [new Uint8Array(1)]],
  ["undefined", INSERT, ["a", undefined]],
  ["a bigint", INSERT, [2n ** 53n + 1n]],
];

describe.each([
  ["Postgres", onPostgres],
  ["a SQLite file", onSqlite],
])("S5-047 a step's own statements on %s", (_name, open) => {
  /** Writes the statement after another one; the code of the error, and what is in the table. */
  async function write(text: unknown, values: unknown) {
    const { store, query } = await open();
    await query("create table entry (id text primary key, step text)");
    const writing = defineWorkflow({ name: "writing" }, async (_event, step) => {
      await step.do("write", { retries: { limit: 0, delay: 0 } }, (context) => {
        writeWithStep(context, INSERT);
        writeWithStep(context, text as string, values as string[]);
      });
    });
    const workflows = { W: writing };
    const engine = createEngine({ workflows, store, stepTransactions: stepSql, logger: quiet });
    closings.push(() => engine.close());
    await engine.workflows.W.create({ id: "i" });
    await engine.tick();
    const { status, error } = (await engine.getInstance("writing", "i")).details;
    return { status, error, entries: await query("select id from entry") };
  }

  it.each(REFUSED)("are refused by code: %s", async (_what, text, values) => {
    const { status, error, entries } = await write(text, values);
    expect(status).toBe("errored");
    expect(error).toMatchObject({ code: "STEP_STATEMENT_INVALID" });
    expect(entries).toEqual([]);
  });

  it("are refused if a text holds two of them: neither is written", async () => {
    const { status, error, entries } = await write(
      "insert into entry values ('second', ';'); insert into entry values ('third', 'c')",
      [],
    );
    expect([status, entries]).toEqual(["errored", []]);
    expect(error?.message).toMatch(/more than one statement|multiple commands/u);
  });
});
