import { describe, expect, test } from "vitest";
import type { Statement } from "../batch.ts";
import { apply, type ContractContext, createTable, select, sql } from "./contract.ts";

/** All or nothing, in order, with the rows of each statement. */
export function describeAtomicity({ database }: ContractContext): void {
  describe("atomicity and order", () => {
    test("an empty batch is committed with no rows", async () => {
      expect(await database().batch([])).toEqual({ kind: "committed", rows: [] });
    });

    test("a fault after any statement leaves nothing of the batch behind", async () => {
      const table = await createTable(database(), "id integer primary key");
      const inserts: Statement[] = [1, 2, 3, 4].map((id) =>
        sql(database(), `insert into ${table} (id) values (?)`, id),
      );
      const fault = sql(database(), `insert into ${table} (no_such_column) values (1)`);
      for (let after = 0; after <= inserts.length; after += 1) {
        const batch = [...inserts.slice(0, after), fault, ...inserts.slice(after)];
        await expect(database().batch(batch)).rejects.toMatchObject({ code: "DATABASE_REJECTED" });
        expect(await select(database(), `select id from ${table}`)).toEqual([]);
      }
    });

    test("a fault while a statement runs, and not only while it is read, undoes the batch", async () => {
      const table = await createTable(database(), "id integer primary key, word text not null");
      const batch = [
        sql(database(), `insert into ${table} (id, word) values (1, 'kept?')`),
        sql(database(), `insert into ${table} (id, word) values (2, ?)`, null),
      ];
      await expect(database().batch(batch)).rejects.toMatchObject({ code: "DATABASE_REJECTED" });
      expect(await select(database(), `select id from ${table}`)).toEqual([]);
    });

    test("the database works on after each kind of failure", async () => {
      await expect(database().batch([sql(database(), "this is not SQL")])).rejects.toMatchObject({
        code: "DATABASE_REJECTED",
        retryable: false,
      });
      expect(await select(database(), "select 1 as one")).toEqual([{ one: 1 }]);
    });

    test("statements run in order and see what those before them wrote", async () => {
      const table = await createTable(database(), "id integer primary key, total integer");
      const rows = await apply(
        database(),
        sql(database(), `insert into ${table} (id, total) values (1, 10)`),
        sql(database(), `update ${table} set total = total + ? where id = 1 returning total`, 5),
        sql(database(), `select total * 2 as doubled from ${table}`),
        sql(database(), `delete from ${table}`),
        sql(database(), `select id from ${table}`),
      );
      expect(rows).toEqual([[], [{ total: 15 }], [{ doubled: 30 }], [], []]);
    });

    test("a table can be made and used in one batch", async () => {
      const table = await createTable(database(), "id integer");
      const rows = await apply(
        database(),
        sql(database(), `drop table ${table}`),
        sql(database(), `create table ${table} (word text)`),
        sql(database(), `insert into ${table} (word) values (?)`, "new"),
        sql(database(), `select word from ${table}`),
      );
      expect(rows[3]).toEqual([{ word: "new" }]);
    });

    test("100 statements, the same text many times over", async () => {
      const table = await createTable(database(), "id integer primary key");
      const rows = await apply(
        database(),
        ...Array.from({ length: 100 }, (_, id) =>
          sql(database(), `insert into ${table} (id) values (?) returning id`, id),
        ),
      );
      expect(rows).toEqual(Array.from({ length: 100 }, (_, id) => [{ id }]));
    });

    test("a statement returns all of its rows, and an empty result is empty", async () => {
      const table = await createTable(database(), "id integer primary key");
      const ids = Array.from({ length: 1000 }, (_, id) => id);
      const values = ids.map((id) => `(${id})`).join(", ");
      await apply(database(), sql(database(), `insert into ${table} (id) values ${values}`));
      const [all, none] = await apply(
        database(),
        sql(database(), `select id from ${table} order by id`),
        sql(database(), `select id from ${table} where id < ?`, 0),
      );
      expect(all).toEqual(ids.map((id) => ({ id })));
      expect(none).toEqual([]);
    });

    test("a table that changes its columns is read with the new ones", async () => {
      const table = await createTable(database(), "id integer");
      const all = sql(database(), `select * from ${table}`);
      await apply(database(), sql(database(), `insert into ${table} (id) values (1)`), all);
      await apply(database(), sql(database(), `alter table ${table} add column word text`));
      expect(await apply(database(), all)).toEqual([[{ id: 1, word: null }]]);
    });
  });
}
