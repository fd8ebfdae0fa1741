import { describe, expect, test } from "vitest";
import { DatabaseError } from "../errors.ts";
import { apply, type ContractContext, createTable, select, sql } from "./contract.ts";

/** Unique violations as values with a name; every other error has a code. */
export function describeErrors({ database }: ContractContext): void {
  describe("unique violations and rejections", () => {
    test("a unique violation is a value, names its constraint, and undoes the batch", async () => {
      const table = await createTable(database(), "id integer primary key, word text");
      const index = `${table}_word`;
      await apply(
        database(),
        sql(database(), `create unique index ${index} on ${table} (word)`),
        sql(database(), `insert into ${table} (id, word) values (1, 'taken')`),
      );
      const insert = (id: number, word: string) =>
        sql(database(), `insert into ${table} (id, word) values (?, ?) returning id`, id, word);
      const byName = database().dialect.name === "postgres";
      expect(await database().batch([insert(2, "free"), insert(3, "taken")])).toEqual({
        kind: "unique",
        constraint: byName ? index : `${table}.word`,
      });
      expect(await database().batch([insert(1, "other")])).toEqual({
        kind: "unique",
        constraint: byName ? `${table}_pkey` : `${table}.id`,
      });
      expect(await select(database(), `select id from ${table}`)).toEqual([{ id: 1 }]);
    });

    test("a unique violation over several columns names them all", async () => {
      const table = await createTable(database(), "a integer, b integer, unique (a, b)");
      const insert = sql(database(), `insert into ${table} (a, b) values (1, 2)`);
      expect(await database().batch([insert, insert])).toEqual({
        kind: "unique",
        constraint:
          database().dialect.name === "postgres" ? `${table}_a_b_key` : `${table}.a, ${table}.b`,
      });
    });

    test("what the database refuses is an error with a code, a cause, and no use in trying again", async () => {
      const table = await createTable(database(), "id integer not null check (id > 0)");
      for (const text of [
        `insert into ${table} (id) values (-1)`,
        `insert into ${table} (id) values (null)`,
        "select * from there_is_no_such_table",
        "selct 1",
      ]) {
        const error: unknown = await database()
          .batch([sql(database(), text)])
          .catch((reason: unknown) => reason);
        expect(DatabaseError.is(error)).toBe(true);
        expect(error).toMatchObject({ code: "DATABASE_REJECTED", retryable: false });
        expect(error).toHaveProperty("cause");
      }
    });

    test("a missing table can be told from other mistakes, by the cause on Postgres and by the text on SQLite", async () => {
      const error: unknown = await database()
        .batch([sql(database(), "select * from there_is_no_such_table")])
        .catch((reason: unknown) => reason);
      expect(error).toMatchObject(
        database().dialect.name === "postgres"
          ? { cause: { code: "42P01" } }
          : { message: expect.stringContaining("no such table: there_is_no_such_table") as string },
      );
    });

    test("a text with more than one statement is refused, and nothing of its batch is applied", async () => {
      const table = await createTable(database(), "word text");
      const insert = (word: string): string => `insert into ${table} (word) values ('${word}')`;
      for (const text of [
        `${insert("a;b")}; ${insert("c")}`,
        `${insert("a")} /* ; */ ;; -- ;\n delete from ${table}`,
      ]) {
        const refused = database().batch([sql(database(), insert("first")), { text, values: [] }]);
        await expect(refused).rejects.toMatchObject({ code: "DATABASE_REJECTED" });
      }
      await apply(database(), sql(database(), insert("a;b")));
      expect(await select(database(), `select word from ${table}`)).toEqual([{ word: "a;b" }]);
    });

    test("a missing parameter does no harm, and Postgres refuses it", async () => {
      const wrong = {
        text: sql(database(), "select ? || '' as a, ? || '' as b").text,
        values: ["one"],
      };
      const outcome = await database()
        .batch([wrong])
        .then(
          ({ kind }): string => kind,
          (error: unknown) => (DatabaseError.is(error) ? error.code : "not coded"),
        );
      // SQLite treats a missing parameter as null; some of its drivers refuse it, as they should.
      const lenient = database().dialect.name === "postgres" ? [] : ["committed"];
      expect(["DATABASE_REJECTED", ...lenient]).toContain(outcome);
      expect(await select(database(), "select 1 as one")).toEqual([{ one: 1 }]);
    });
  });
}
