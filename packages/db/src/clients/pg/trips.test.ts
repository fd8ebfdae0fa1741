import {
  createPostgresDatabase,
  type PostgresProxy,
  startPostgresProxy,
  type TestDatabase,
} from "@escapement-internal/test-servers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database, Statement } from "../../batch.ts";
import { createPgDatabase } from "./index.ts";

const statement = (text: string, ...values: Statement["values"]): Statement => ({ text, values });

describe.each([false, true])("with prepared statements: %s", (preparedStatements) => {
  let server: TestDatabase;
  let proxy: PostgresProxy;
  let database: Database;

  beforeAll(async () => {
    server = await createPostgresDatabase();
    proxy = await startPostgresProxy(server.url);
    database = createPgDatabase({ connectionString: proxy.url, max: 1, preparedStatements });
    await database.batch([statement("create table thing (id int primary key, n int)")]);
  });
  afterAll(async () => {
    await database.close();
    await proxy.stop();
    await server.drop();
  });

  test("one batch is one round trip, the first of its kind too", async () => {
    const batch = (id: number): Statement[] => [
      statement("insert into thing (id, n) values ($1, 0)", id),
      statement("update thing set n = n + 1 where id = $1 returning n", id),
      statement("select n from thing where id = $1", id),
    ];
    for (let id = 1; id <= 3; id += 1) {
      proxy.reset();
      expect(await database.batch(batch(id))).toMatchObject({ kind: "committed" });
      expect(proxy.stats()).toMatchObject({ trips: 1, statements: 3, connections: 0 });
    }
  });

  test("a conflict and a rejected batch are one round trip each", async () => {
    const guard = statement(database.dialect.guard("never", "$1 = 'x'"), "y");
    for (let time = 0; time < 3; time += 1) {
      proxy.reset();
      expect(await database.batch([guard, statement("select 1")])).toMatchObject({
        guard: "never",
      });
      expect(proxy.stats()).toMatchObject({ trips: 1, connections: 0 });
    }
    proxy.reset();
    await expect(database.batch([statement("selct")])).rejects.toMatchObject({
      code: "DATABASE_REJECTED",
    });
    expect(proxy.stats()).toMatchObject({ trips: 1, connections: 0 });
  });

  test("an empty batch is no trip", async () => {
    proxy.reset();
    await database.batch([]);
    expect(proxy.stats()).toMatchObject({ trips: 0, connections: 0 });
  });

  test("a text is parsed once per connection when prepared, and each time when not", async () => {
    const batch = [statement("select $1::int as a", 1), statement("select $1::int as a", 2)];
    proxy.reset();
    for (let time = 0; time < 3; time += 1) {
      expect(await database.batch(batch)).toMatchObject({ rows: [[{ a: 1 }], [{ a: 2 }]] });
    }
    expect(proxy.stats()).toMatchObject({ parses: preparedStatements ? 1 : 6 });
  });

  test("a statement that fails again and again is known afterwards", async () => {
    const divide = (by: number): Statement => statement("select 10 / $1::int as quotient", by);
    for (let time = 0; time < 3; time += 1) {
      await expect(database.batch([divide(0), divide(1)])).rejects.toMatchObject({
        code: "DATABASE_REJECTED",
      });
    }
    expect(await database.batch([divide(2), divide(5)])).toEqual({
      kind: "committed",
      rows: [[{ quotient: 5 }], [{ quotient: 2 }]],
    });
  });

  test("statements that the server forgot or whose columns changed are prepared anew", async () => {
    const read = statement("select * from thing where id = $1", 1);
    await database.batch([read]);
    await database.batch([statement("deallocate all")]);
    expect(await database.batch([read])).toMatchObject({ rows: [[{ id: 1 }]] });
    await database.batch([statement("alter table thing add column if not exists extra text")]);
    expect(await database.batch([read])).toMatchObject({ rows: [[{ id: 1, extra: null }]] });
  });

  test("COPY has no place in a batch, and does not hang it", async () => {
    await expect(database.batch([statement("copy thing from stdin")])).rejects.toMatchObject({
      code: "DATABASE_REJECTED",
    });
    expect(await database.batch([statement("select 1 as one")])).toMatchObject({
      rows: [[{ one: 1 }]],
    });
  });
});
