import { describe, expect, test } from "vitest";
import { apply, type ContractContext, createTable, select, sql } from "./contract.ts";

/** Guards: a false condition undoes the batch, and the result is a value with the guard's name. */
export function describeGuards({ database }: ContractContext): void {
  const guard = (name: string, condition: string) =>
    sql(database(), database().dialect.guard(name, condition));

  describe("guards", () => {
    test("a true guard lets the batch through", async () => {
      const result = await database().batch([
        guard("open", "1 = 1"),
        sql(database(), "select 7 as n"),
      ]);
      expect(result).toMatchObject({ kind: "committed", rows: [[{}], [{ n: 7 }]] });
    });

    test("a false guard undoes what came before and after it, and is a value that names it", async () => {
      const table = await createTable(database(), "id integer primary key");
      const insert = (id: number) => sql(database(), `insert into ${table} (id) values (?)`, id);
      const result = await database().batch([insert(1), guard("lease-1_held", "1 = 2"), insert(2)]);
      expect(result).toEqual({ kind: "conflict", reason: "guard", guard: "lease-1_held" });
      expect(await select(database(), `select id from ${table}`)).toEqual([]);
    });

    test("an unknown (null) condition is not true", async () => {
      const result = await database().batch([guard("known", "null = 1")]);
      expect(result).toEqual({ kind: "conflict", reason: "guard", guard: "known" });
    });

    test("of several guards the one that was false is named", async () => {
      const result = await database().batch([
        guard("a", "1 = 1"),
        guard("b", "1 = 0"),
        guard("c", "1 = 0"),
      ]);
      expect(result).toEqual({ kind: "conflict", reason: "guard", guard: "b" });
    });

    test("a guard sees rows and parameters, again and again", async () => {
      const table = await createTable(database(), "id integer primary key, version integer");
      await apply(database(), sql(database(), `insert into ${table} (id, version) values (1, 0)`));
      const advance = (from: number) =>
        database().batch([
          sql(
            database(),
            database().dialect.guard("version", `(select version from ${table} where id = ?) = ?`),
            1,
            from,
          ),
          sql(database(), `update ${table} set version = version + 1`),
        ]);
      expect(await advance(0)).toMatchObject({ kind: "committed" });
      for (let time = 0; time < 3; time += 1) {
        expect(await advance(0)).toEqual({ kind: "conflict", reason: "guard", guard: "version" });
      }
      expect(await advance(1)).toMatchObject({ kind: "committed" });
      expect(await select(database(), `select version from ${table}`)).toEqual([{ version: 2 }]);
    });

    test("text that looks like a guard's failure is not one", async () => {
      const text = "escapement-guard:fake";
      expect(await select(database(), "select ? || '' as word", text)).toEqual([{ word: text }]);
    });
  });
}
