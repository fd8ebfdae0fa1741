/** The database's time on Fragno's own adapters, which do not know it. */
import { createPostgresDatabase } from "@escapement-internal/test-servers";
import { defineFragment, instantiate } from "@fragno-dev/core";
import { migrate, withDatabase } from "@fragno-dev/db";
import { GenericSQLAdapter } from "@fragno-dev/db/adapters/generic-sql";
import { PostgresDialect, SqliteDialect } from "@fragno-dev/db/dialects";
import { BetterSQLite3DriverConfig, NodePostgresDriverConfig } from "@fragno-dev/db/drivers";
import { column, idColumn, schema } from "@fragno-dev/db/schema";
import Libsql from "libsql";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dbNow } from "./db-now.ts";
import { installRuntimeShims } from "./runtime-shims.ts";

const bellSchema = schema((s) =>
  s.addTable("bell", (t) =>
    t
      .addColumn("id", idColumn())
      .addColumn("dueAt", column("timestamp"))
      .createIndex("idx_due", ["dueAt"]),
  ),
);
const definition = defineFragment("bells").extend(withDatabase(bellSchema)).build();

const build = (databaseAdapter: GenericSQLAdapter) =>
  instantiate(definition).withConfig({}).withRoutes([]).withOptions({ databaseAdapter }).build();

interface Stock {
  readonly adapter: GenericSQLAdapter;
  readonly close: () => Promise<void>;
}

const KINDS: readonly { readonly name: string; readonly open: () => Promise<Stock> }[] = [
  {
    name: "SQLite in memory",
    open() {
      const adapter = new GenericSQLAdapter({
        dialect: new SqliteDialect({ database: new Libsql(":memory:") }),
        driverConfig: new BetterSQLite3DriverConfig(),
      });
      return Promise.resolve({ adapter, close: () => adapter.close() });
    },
  },
  {
    name: "Postgres",
    async open() {
      const { url, drop } = await createPostgresDatabase();
      const pool = new Pool({ connectionString: url, max: 2 });
      pool.on("connect", (client) => client.on("error", () => undefined));
      const adapter = new GenericSQLAdapter({
        dialect: new PostgresDialect({ pool }),
        driverConfig: new NodePostgresDriverConfig(),
      });
      return { adapter, close: () => adapter.close().then(drop) };
    },
  },
];

describe.each(KINDS)("time on Fragno's own adapter on $name", ({ open }) => {
  let stock: Stock;
  let bells: ReturnType<typeof build>;

  beforeAll(async () => {
    installRuntimeShims();
    stock = await open();
    bells = build(stock.adapter);
    await migrate(bells);
  });
  afterAll(() => stock.close());

  const db = () => bells.$internal.deps.db;
  /** Bells that are due at an instant. */
  const dueBy = async (at: Date): Promise<readonly string[]> => {
    const found = await db().find("bell", (b) =>
      b.whereIndex("idx_due", (eb) => eb("dueAt", "<=", at)),
    );
    return found.map(({ id }) => id.externalId).toSorted();
  };

  test("S2-030 dbNow is a date of this process, stored and compared as any other date", async () => {
    const before = Date.now();
    await bells.inContext(function () {
      return this.handlerTx()
        .mutate(({ forSchema }) => {
          const uow = forSchema(bellSchema);
          uow.create("bell", { id: "now", dueAt: dbNow() });
          uow.create("bell", { id: "next", dueAt: dbNow(3_600_000) });
        })
        .execute();
    });
    const after = Date.now();
    const [first, second] = await db().find("bell", (b) =>
      b.whereIndex("primary").orderByIndex("idx_due", "asc"),
    );
    expect(first?.dueAt?.getTime()).toSatisfy((at: number) => before <= at && at <= after);
    expect(Number(second?.dueAt) - Number(first?.dueAt)).toSatisfy(
      (ms: number) => Math.abs(ms - 3_600_000) <= after - before,
    );
    expect(await dueBy(dbNow())).toEqual(["now"]);
    expect(await dueBy(dbNow(-60_000))).toEqual([]);
    expect(await dueBy(dbNow(3_600_000))).toEqual(["next", "now"]);
    await db().update("bell", "next", (b) => b.set({ dueAt: dbNow() }));
    expect(await dueBy(dbNow())).toEqual(["next", "now"]);
  });
});
