/** Families of many: an export makes as many trips as there is to read, however many instances have it, and is the same file. */
import type { Database } from "@escapement/db";
import { applyRecommendedPragmas, createSqliteDatabase } from "@escapement/db/sqlite";
import { createEngine, defineWorkflow, type Engine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { createPostgresDatabase } from "@escapement-internal/test-servers";
import { createPgDatabase } from "@escapement/db/pg";
import Libsql from "libsql";
import { describe, expect, test } from "vitest";
import { readAll } from "./move.ts";
import { type Has, type Line, writeFamily } from "./write-family.ts";

const WORKFLOW = defineWorkflow({ name: "member" }, async () => "end");
/** Trips of a database, from now on. */
function countTrips(database: Database) {
  const trips = { count: 0 };
  const batch: Database["batch"] = (...call) => {
    trips.count += 1;
    return database.batch(...call);
  };
  const counted: Database = Object.assign(Object.create(database), {
    batch,
    close: () => database.close(),
  });
  return { trips, counted };
}

const openOn = (store: Parameters<typeof createEngine>[0]["store"]): Engine =>
  createEngine({ workflows: { WORKFLOW }, store, logger: { log: () => undefined } });

async function openSql(database: Database) {
  await migrate(database);
  const { trips, counted } = countTrips(database);
  return { engine: openOn(createSqlStore({ database: counted })), trips };
}

function openLibsql() {
  const connection = new Libsql(":memory:");
  applyRecommendedPragmas(connection, { synchronous: "NORMAL" });
  return openSql(createSqliteDatabase(connection));
}

/** Each record by whose it is, its name and its size; siblings come in no order. All but the first line and the last. */
function toRecords(lines: readonly string[]): readonly string[] {
  let of: unknown;
  const records = lines.slice(1, -1).map((text) => {
    const line = JSON.parse(text) as Line;
    if (line["kind"] === "instance") of = line["instanceId"];
    const { result, payload, value } = line;
    const size = JSON.stringify([result, payload, value]).length;
    return [of, line["kind"], line["id"] ?? line["stepKey"], size].join(" ");
  });
  return records.toSorted();
}

const times = (count: number, has: Has): readonly Has[] => Array.from({ length: count }, () => has);

/** Pages end within an instance, between two, behind one that has nothing, and by their bytes. */
const SHAPES: readonly (readonly [what: string, children: readonly Has[]])[] = [
  ["one alone", []],
  ["some that have nothing", times(3, { steps: 0 })],
  ["many small ones", times(1200, { steps: 1 })],
  ["one of many steps among others", [{ steps: 1 }, { steps: 2500, events: 1100 }, { steps: 2 }]],
  ["a page of steps and not one more", [{ steps: 1000 }, { steps: 0, events: 1000, entries: 3 }]],
  ["large texts", times(12, { steps: 2, events: 2, entries: 2, length: 100_000 })],
];

describe.each([
  ["memory", async () => openOn(createMemoryStore())],
  ["libSQL", async () => (await openLibsql()).engine],
] as const)("%s", (_name, open) => {
  test.each(SHAPES)(
    "S8-006 a family of %s is exported as it was imported",
    async (_what, shape) => {
      const engine = await open();
      await engine.import(writeFamily(shape));
      const lines = await readAll(engine.export("member", "root"));
      expect(toRecords(lines)).toEqual(toRecords([...writeFamily(shape)]));
      const again = openOn(createMemoryStore());
      await again.import(await readAll(engine.export("member", "root")));
      await engine.close();
    },
  );
});

test("S8-006 trips of an export go by what there is to read, not by how many instances have it", async () => {
  const { engine, trips } = await openLibsql();
  await engine.import(writeFamily(times(2000, { steps: 2, events: 1 })));
  trips.count = 0;
  const lines = await readAll(engine.export("member", "root"));
  expect(lines).toHaveLength(2001 + 4000 + 2000 + 2);
  // Twice the family, and a trip for some hundreds of records.
  expect(trips.count).toBeLessThan(30);
  await engine.close();
});

test.skipIf(process.env["ESCAPEMENT_TEST_SERVERS"] === "0")(
  "S8-006 on Postgres too, large and small together",
  async () => {
    const { url, drop } = await createPostgresDatabase();
    const { engine, trips } = await openSql(createPgDatabase({ connectionString: url, max: 2 }));
    const shape = [...times(900, { steps: 2 }), { steps: 2500, events: 1100, entries: 10 }];
    await engine.import(writeFamily(shape));
    trips.count = 0;
    const lines = await readAll(engine.export("member", "root"));
    expect(toRecords(lines)).toEqual(toRecords([...writeFamily(shape)]));
    expect(trips.count).toBeLessThan(25);
    await openOn(createMemoryStore()).import(lines);
    await engine.close();
    await drop();
  },
  120_000,
);
