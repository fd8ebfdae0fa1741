import { describe, expect, test } from "vitest";
import { apply, type ContractContext, createTable, select, sql } from "./contract.ts";

const MEBIBYTE = 1024 * 1024;

const PAYLOADS: Readonly<Record<string, string | null>> = {
  null: null,
  empty: "",
  unicode: "žluťoučký 日本語 العربية",
  emoji: "👩‍👩‍👧‍👦 🏳️‍🌈 𝒳",
  quotes: `it's "quoted" \\ and ; -- not a comment $1 ?1 :name`,
  lines: "one\r\ntwo\n\tthree",
  "JSON object": '{"a":[1,2,{"b":null}],"c":"d"}',
  "JSON array": "[1, 2,  3]",
  "empty JSON array": "[]",
  "JSON string": '"text"',
  "JSON number": "12345678901234567890",
  "JSON null": "null",
  "NUL as a JSON escape": String.raw`{"nul":"\u0000"}`,
  "lone surrogate as a JSON escape": String.raw`"\ud800"`,
  "one mebibyte": "x".repeat(MEBIBYTE),
  "one mebibyte of emoji": "😀".repeat(MEBIBYTE / 4),
  number: "007",
  date: "2026-01-02T03:04:05.678Z",
};

/** Text is returned as it was sent, whatever it looks like. */
export function describePayloads({ database }: ContractContext): void {
  describe("payloads", () => {
    test.each(Object.entries(PAYLOADS))("%s", async (_, payload) => {
      const table = await createTable(database(), "id integer, payload text");
      await apply(
        database(),
        sql(database(), `insert into ${table} (id, payload) values (1, ?), (2, null)`, payload),
      );
      expect(await select(database(), `select payload from ${table} order by id`)).toEqual([
        { payload },
        { payload: null },
      ]);
    });

    test("every payload through one parameter of JSON rows", async () => {
      const payloads = Object.values(PAYLOADS);
      const source = database().dialect.jsonRows(database().dialect.param(1), "r", [
        { name: "id", type: "bigint" },
        { name: "payload", type: "text" },
      ]);
      const json = JSON.stringify(payloads.map((payload, id) => ({ id, payload })));
      const rows = await apply(database(), {
        text: `select r.payload from ${source} order by r.id`,
        values: [json],
      });
      expect(rows[0]).toEqual(payloads.map((payload) => ({ payload })));
    });

    test("a JSON column's text comes back as text", async () => {
      const type = database().dialect.name === "postgres" ? "json" : "text";
      const table = await createTable(database(), `payload ${type}`);
      const payload = '{"a": [1,2],  "b":"c"}';
      await apply(
        database(),
        sql(database(), `insert into ${table} (payload) values (?)`, payload),
      );
      expect(await select(database(), `select payload from ${table}`)).toEqual([{ payload }]);
    });
  });
}
