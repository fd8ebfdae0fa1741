/** Statements of steps on the application's own tables: with the step's record or not at all, whoever dies when. */
import { createPostgresDatabase, temporaryDirectory } from "@escapement-internal/test-servers";
import { createEngine, defineWorkflow, type EngineOptions } from "@escapement/engine";
import { postgres } from "@escapement/engine/postgres";
import { sqlite } from "@escapement/engine/sqlite";
import { stepSql, writeWithStep } from "@escapement/engine/step-sql";
import { createMemoryStore } from "@escapement/engine/store/memory";
import type { SqlStore } from "@escapement/engine/store/sql";
import { afterEach, describe, expect, it } from "vitest";
import Connection from "libsql";
import pg from "pg";

interface Place {
  readonly store: SqlStore;
  readonly param: (position: number) => string;
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
  const store = postgres(url, { max: 2, logger: { log: () => undefined } });
  closings.push(
    drop,
    () => client.end(),
    () => store.close(),
  );
  const query = async (text: string): Promise<readonly unknown[]> =>
    (await client.query<object>(text)).rows;
  return { store, param: (position) => `$${position}`, query };
}

async function onSqlite(): Promise<Place> {
  const directory = temporaryDirectory();
  const store = sqlite(`${directory.path}/data.db`);
  await store.migrate();
  const connection = new Connection(`${directory.path}/data.db`);
  closings.push(
    () => directory.remove(),
    () => connection.close(),
    () => store.close(),
  );
  const query = async (text: string): Promise<readonly unknown[]> => {
    const statement = connection.prepare(text);
    if (statement.reader) return statement.all([]);
    statement.run([]);
    return [];
  };
  return { store, param: (position) => `?${position}`, query };
}

const quiet = { log: () => undefined };

type Death = "before" | "after";

/** The process dies at its first commit with statements of a step: it never answers from then on. */
function dyingStore(store: SqlStore, death: Death): readonly [SqlStore, Promise<void>] {
  let isDead = false;
  let die = (): void => undefined;
  const died = new Promise<void>((resolve) => void (die = resolve));
  const silence = new Promise<never>(() => undefined);
  const commit: SqlStore["commit"] = async (commits) => {
    if (isDead) return silence;
    const isMeant = commits.some(({ changes }) =>
      changes.some((one) => one.kind === "otherTables"),
    );
    if (!isMeant) return store.commit(commits);
    isDead = true;
    if (death === "after") await store.commit(commits);
    die();
    return silence;
  };
  return [{ ...store, commit }, died];
}

describe.each([
  ["Postgres", onPostgres],
  ["a SQLite file", onSqlite],
])("S5-047 a step's own statements on %s", (_name, open) => {
  const bodies: string[] = [];
  afterEach(() => void bodies.splice(0));

  async function setUp() {
    const place = await open();
    await place.query("create table entry (id text primary key, step text not null)");
    const text = `insert into entry values (${place.param(1)}, ${place.param(2)})`;
    const transfer = defineWorkflow({ name: "transfer" }, async (_event, step) => {
      for (const name of ["debit", "credit"])
        await step.do(name, (context) => {
          bodies.push(name);
          writeWithStep(context, text, [`${name}-1`, name]);
          writeWithStep(context, text, [`${name}-2`, name]);
        });
    });
    const start = (options: Partial<EngineOptions<{ T: typeof transfer }>> = {}) => {
      const workflows = { T: transfer };
      return createEngine({
        workflows,
        store: place.store,
        stepTransactions: stepSql,
        logger: quiet,
        ...options,
      });
    };
    const entries = () => place.query("select id from entry order by id");
    return { ...place, text, start, entries };
  }

  const all = ["credit-1", "credit-2", "debit-1", "debit-2"].map((id) => ({ id }));

  it("are there with its record", async () => {
    const { start, entries } = await setUp();
    const engine = start();
    await engine.workflows.T.create({ id: "i" });
    await engine.tick();
    expect((await engine.getInstance("transfer", "i")).details.status).toBe("complete");
    expect(await entries()).toEqual(all);
  });

  it.each<{ death: Death; runs: readonly string[] }>([
    { death: "before", runs: ["debit", "debit", "credit"] },
    { death: "after", runs: ["debit", "credit"] },
  ])("are there once when the process dies $death their commit", async ({ death, runs }) => {
    const { store, start, entries } = await setUp();
    const [dying, died] = dyingStore(store, death);
    const first = start({ store: dying, runnerId: "runner" });
    await first.workflows.T.create({ id: "i" });
    void first.tick();
    await died;
    expect(await entries()).toEqual(death === "before" ? [] : all.slice(2));
    const heir = start({ runnerId: "runner" });
    await heir.tick();
    expect((await heir.getInstance("transfer", "i")).details.status).toBe("complete");
    expect([await entries(), bodies]).toEqual([all, runs]);
  });

  it("fail its attempt when the database refuses one: nothing of it is there, and the workflow may go on", async () => {
    const { store, text, query, entries } = await setUp();
    await query("insert into entry values ('taken', 'before')");
    const refused = defineWorkflow({ name: "refused" }, async (_event, step) => {
      const write = (name: string, ids: readonly string[]): Promise<string> =>
        step.do(name, { retries: { limit: 0, delay: 0 } }, (context) => {
          for (const id of ids) writeWithStep(context, text, [id, name]);
          return name;
        });
      const failed = await write("first", ["a", "taken"]).catch(() => "refused");
      return [failed, await write("second", ["b"])];
    });
    const engine = createEngine({
      workflows: { R: refused },
      store,
      stepTransactions: stepSql,
      logger: quiet,
    });
    await engine.workflows.R.create({ id: "i" });
    await engine.tick();
    expect((await engine.getInstance("refused", "i")).details.output).toEqual([
      "refused",
      "second",
    ]);
    expect(await entries()).toEqual([{ id: "b" }, { id: "taken" }]);
  });

  it("are not sent when its body throws", async () => {
    const { store, text, entries } = await setUp();
    const throwing = defineWorkflow({ name: "throwing" }, async (_event, step) => {
      await step.do("write", { retries: { limit: 1, delay: 0 } }, (context) => {
        writeWithStep(context, text, ["a", `attempt ${context.attempt}`]);
        if (context.attempt === 1) throw new Error("after the statement");
      });
    });
    const engine = createEngine({
      workflows: { W: throwing },
      store,
      stepTransactions: stepSql,
      logger: quiet,
    });
    await engine.workflows.W.create({ id: "i" });
    await engine.tick({ lingerMs: 5000, maxSteps: 2 });
    expect(await entries()).toEqual([{ id: "a" }]);
  });
});

describe("S5-047 a statement that cannot be committed with its step", () => {
  it.each([
    ["the option is missing", {}],
    ["the store has no tables", { stepTransactions: stepSql }],
  ])("is refused by code: %s", async (_name, options) => {
    const writing = defineWorkflow({ name: "writing" }, async (_event, step) => {
      await step.do("write", { retries: { limit: 0, delay: 0 } }, (context) =>
        writeWithStep(context, "select 1"),
      );
    });
    const store = createMemoryStore();
    const engine = createEngine({ workflows: { W: writing }, store, logger: quiet, ...options });
    await engine.workflows.W.create({ id: "i" });
    await engine.tick();
    expect((await engine.getInstance("writing", "i")).details.error).toMatchObject({
      code: "STEP_TRANSACTION_UNSUPPORTED",
    });
  });
});
