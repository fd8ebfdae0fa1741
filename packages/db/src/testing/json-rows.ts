import { describe, expect, test } from "vitest";
import type { JsonColumn } from "../dialect/dialect.ts";
import { apply, type ContractContext, createTable, select, sql } from "./contract.ts";

const COLUMNS: readonly JsonColumn[] = [
  { name: "id", type: "text" },
  { name: "dueAt", type: "bigint" },
  { name: "flag", type: "boolean" },
];

/** Many rows in one parameter: order, types, missing fields. */
export function describeJsonRows({ database }: ContractContext): void {
  const rowsFrom = async (list: readonly Record<string, unknown>[]) => {
    const { dialect } = database();
    const source = dialect.jsonRows(dialect.param(1), "r", COLUMNS);
    const [rows] = await apply(database(), {
      text: `select r."id", r."dueAt", r."flag" from ${source}`,
      values: [JSON.stringify(list)],
    });
    return rows;
  };

  describe("JSON rows", () => {
    test("rows keep the array's order and their types", async () => {
      const list = Array.from({ length: 200 }, (_, n) => ({
        id: `row ${(n * 7919) % 200}`,
        dueAt: 1_763_715_600_123 + n,
        flag: n % 3 === 0,
      }));
      const flag = (value: boolean) =>
        database().dialect.name === "postgres" ? value : Number(value);
      expect(await rowsFrom(list)).toEqual(
        list.map((row) => Object.assign({}, row, { flag: flag(row.flag) })),
      );
    });

    test("null and missing fields are null; an empty array has no rows", async () => {
      const empty = { id: null, dueAt: null, flag: null };
      expect(await rowsFrom([{ id: null, dueAt: null, flag: null }, {}])).toEqual([empty, empty]);
      expect(await rowsFrom([])).toEqual([]);
    });

    test("numbers in text and text that looks like a number keep their characters", async () => {
      expect(await rowsFrom([{ id: "0012", dueAt: 9_007_199_254_740_991, flag: null }])).toEqual([
        { id: "0012", dueAt: 9_007_199_254_740_991, flag: null },
      ]);
    });

    test("they insert, update and join", async () => {
      const { dialect } = database();
      const table = await createTable(database(), `"id" varchar(30) primary key, "dueAt" bigint`);
      const source = dialect.jsonRows(dialect.param(1), "r", COLUMNS);
      const json = (dueAt: number) =>
        JSON.stringify([
          { id: "a", dueAt },
          { id: "b", dueAt: dueAt + 1 },
        ]);
      await apply(
        database(),
        {
          text: `insert into ${table} ("id", "dueAt") select r."id", r."dueAt" from ${source}`,
          values: [json(1)],
        },
        {
          text: `update ${table} as t set "dueAt" = r."dueAt" from ${source} where t."id" = r."id"`,
          values: [json(10)],
        },
      );
      expect(await select(database(), `select "id", "dueAt" from ${table} order by "id"`)).toEqual([
        { id: "a", dueAt: 10 },
        { id: "b", dueAt: 11 },
      ]);
      expect(
        await apply(
          database(),
          sql(database(), `delete from ${table} where "id" = ? returning "id"`, "a"),
        ),
      ).toEqual([[{ id: "a" }]]);
    });
  });
}
