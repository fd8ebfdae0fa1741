/** Facts about a schema beyond Fragno's language, and the caller's own SQL inside Fragno's queries. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ConcurrencyConflictError } from "@fragno-dev/db";
import { createFragnoAdapter, type FragnoAdapter } from "./adapter.ts";
import { extendSchema } from "./schema-extras.ts";
import { sqlExpression } from "./sql-expression.ts";
import { query, SERVERS, type TestServer } from "./testing/databases.ts";
import { createShopSchema, defineShop, openShop } from "./testing/shop.ts";

const schema = createShopSchema();
let answer: (values: Readonly<Record<PropertyKey, unknown>>) => Error | null = () => null;
extendSchema(schema, {
  afterMigration: () => [
    `create index if not exists "idx_active" on "customer_extra" ("name") where "active"`,
  ],
  explainUnique: ([row]) => (row === undefined ? null : answer(row.values)),
});

for (const server of SERVERS) {
  describe(`schema extras on ${server.name}`, () => {
    let started: TestServer;
    let adapter: FragnoAdapter;
    let shop: Awaited<ReturnType<typeof openShop>>;
    beforeAll(async () => {
      started = await server.start();
      adapter = createFragnoAdapter({ database: started.open() });
      shop = await openShop(adapter, defineShop(schema, "extra"));
    });
    afterAll(() => started.drop());

    const create = (name: string, email: string | null): Promise<unknown> =>
      shop.inContext(function () {
        return this.handlerTx()
          .mutate(({ forSchema }) => forSchema(schema).create("customer", { name, email }))
          .execute();
      });

    test("statements behind a migration are in its batch", async () => {
      const text =
        adapter.database.dialect.name === "postgres"
          ? `select 1 as "found" from pg_indexes where indexname = 'idx_active'`
          : `select 1 as "found" from sqlite_master where name = 'idx_active'`;
      expect(await query(adapter.database, text)).toEqual([{ found: 1 }]);
    });

    test("a refused row is explained by the schema's owner, or is a UNIQUE_VIOLATION", async () => {
      await create("Ada", "ada@example.org");
      answer = ({ name }) => new RangeError(`${String(name)} is taken`);
      await expect(create("Bob", "ada@example.org")).rejects.toThrow("Bob is taken");
      answer = () => null;
      await expect(create("Cy", "ada@example.org")).rejects.toMatchObject({
        code: "UNIQUE_VIOLATION",
      });
    });

    test("an explanation can ask for another try", async () => {
      let tries = 0;
      answer = () => new ConcurrencyConflictError();
      const create = shop.inContext(function () {
        return this.handlerTx()
          .mutate(({ forSchema }) => {
            tries += 1;
            const email = tries < 3 ? "ada@example.org" : "dora@example.org";
            forSchema(schema).create("customer", { name: "Dora", email });
          })
          .execute();
      });
      await create;
      expect(tries).toBe(3);
    });

    test("SQL of the caller's own is a value and a condition, its parameters bound", async () => {
      const twice = sqlExpression(["(", " * 2)"], 21) as never;
      await shop.inContext(function () {
        return this.handlerTx()
          .mutate(({ forSchema }) =>
            forSchema(schema).create("customer", { name: "Eve", points: twice }),
          )
          .execute();
      });
      const found = await shop.inContext(function () {
        return this.handlerTx()
          .retrieve(({ forSchema }) =>
            forSchema(schema).find("customer", (b) =>
              b.whereIndex("idx_active_points", (eb) => eb("points", "=", twice)),
            ),
          )
          .execute();
      });
      expect(found).toMatchObject([[{ name: "Eve", points: 42 }]]);
    });
  });
}
