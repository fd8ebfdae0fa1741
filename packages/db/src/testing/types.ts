import { describe, expect, test } from "vitest";
import { apply, type ContractContext, createTable, select, sql } from "./contract.ts";

/** How values are returned: integers of any width as numbers, booleans, and unchanged text. */
export function describeTypes({ database }: ContractContext): void {
  const isPostgres = (): boolean => database().dialect.name === "postgres";

  describe("types", () => {
    test("64-bit integers, floats and nulls keep their values", async () => {
      const table = await createTable(database(), "id integer, big bigint, ratio double precision");
      const numbers = [
        0,
        -1,
        2_147_483_648,
        Number.MAX_SAFE_INTEGER,
        Number.MIN_SAFE_INTEGER,
        null,
      ];
      await apply(
        database(),
        ...numbers.map((big, id) =>
          sql(
            database(),
            `insert into ${table} (id, big, ratio) values (?, ?, ?)`,
            id,
            big,
            id / 3,
          ),
        ),
      );
      expect(await select(database(), `select big, ratio from ${table} order by id`)).toEqual(
        numbers.map((big, id) => ({ big, ratio: id / 3 })),
      );
    });

    test("a whole number beyond 2^53 is given as text, and arrives unchanged", async () => {
      const table = await createTable(database(), "big bigint");
      const big = "9007199254740993";
      await apply(database(), sql(database(), `insert into ${table} (big) values (?)`, big));
      const read = `select cast(big as text) as big, cast(big + 1 as text) as next from ${table} where big = ?`;
      expect(await select(database(), read, big)).toEqual([{ big, next: "9007199254740994" }]);
    });

    test("counts and sums are numbers", async () => {
      const table = await createTable(database(), "big bigint");
      await apply(database(), sql(database(), `insert into ${table} (big) values (1), (2), (39)`));
      expect(
        await select(database(), `select count(*) as n, sum(big) as total from ${table}`),
      ).toEqual([{ n: 3, total: 42 }]);
    });

    test("booleans are booleans on Postgres and 0 or 1 on SQLite, as parameters too", async () => {
      const table = await createTable(database(), "id integer, flag boolean");
      await apply(
        database(),
        ...[true, false, null].map((flag, id) =>
          sql(database(), `insert into ${table} (id, flag) values (?, ?)`, id, flag),
        ),
      );
      expect(await select(database(), `select flag from ${table} order by id`)).toEqual(
        (isPostgres() ? [true, false, null] : [1, 0, null]).map((flag) => ({ flag })),
      );
      expect(await select(database(), `select id from ${table} where flag = ?`, true)).toEqual([
        { id: 0 },
      ]);
    });

    test("a whole number stays whole in arithmetic and in a text column", async () => {
      const table = await createTable(database(), "word text");
      const text = isPostgres() ? "cast(cast(? as bigint) as text)" : "?";
      await apply(database(), sql(database(), `insert into ${table} (word) values (${text})`, 5));
      expect(await select(database(), `select word from ${table}`)).toEqual([{ word: "5" }]);
    });

    test("a parameter may be used twice", async () => {
      const first = database().dialect.param(1);
      const result = await apply(database(), {
        text: `select ${first} || '-' || ${first} as word`,
        values: ["a"],
      });
      expect(result).toEqual([[{ word: "a-a" }]]);
    });

    test("names that need quotes", async () => {
      const { quote } = database().dialect;
      const column = quote('Strange "name" of mine');
      const table = await createTable(database(), `${column} integer`);
      await apply(database(), sql(database(), `insert into ${table} (${column}) values (1)`));
      expect(await select(database(), `select ${column} from ${table}`)).toEqual([
        { 'Strange "name" of mine': 1 },
      ]);
    });
  });
}
