import { describe, expect, test } from "vitest";
import { batchWithRetry } from "../retry.ts";
import { apply, type ContractContext, createTable, rowsOf, select, sql } from "./contract.ts";

const CLAIMERS = 8;
const TASKS = 64;

/** Row locks if the family has them; otherwise the clause is empty and writers take turns. */
export function describeLocks({ database, capabilities }: ContractContext): void {
  describe("row locks", () => {
    test("the locking clause is valid at the end of a select", async () => {
      const table = await createTable(database(), "id integer primary key");
      await apply(database(), sql(database(), `insert into ${table} (id) values (1), (2)`));
      const { dialect } = database();
      for (const lock of [dialect.forUpdate("t"), dialect.forUpdate("t", { skipLocked: true })]) {
        expect(
          await select(
            database(),
            `select t.id from ${table} as t order by t.id limit ? ${lock}`,
            1,
          ),
        ).toEqual([{ id: 1 }]);
      }
    });

    test.skipIf(!capabilities.concurrentWriters)(
      "claimers that skip locked rows share out all tasks, each once",
      async () => {
        const table = await createTable(database(), "id integer primary key, owner integer");
        const values = Array.from({ length: TASKS }, (_, id) => `(${id})`).join(", ");
        await apply(database(), sql(database(), `insert into ${table} (id) values ${values}`));
        const { dialect } = database();
        const due =
          `select t.id from ${table} as t where t.owner is null order by t.id limit 4 ` +
          dialect.forUpdate("t", { skipLocked: true });
        const claimed: number[] = [];
        const claim = async (owner: number): Promise<void> => {
          for (;;) {
            const batch = [
              sql(
                database(),
                `update ${table} set owner = ? where id in (${due}) returning id`,
                owner,
              ),
            ];
            const [rows = []] = rowsOf(
              await batchWithRetry(database(), batch, { maxTries: 200, maxDelayMs: 50 }),
            );
            if (rows.length === 0) return;
            claimed.push(...rows.map((row) => row["id"] as number));
          }
        };
        await Promise.all(Array.from({ length: CLAIMERS }, (_, owner) => claim(owner)));
        // A claimer that found only locked rows stopped early; the rows were taken by those that had locked them.
        expect(claimed.toSorted((a, b) => a - b)).toEqual(
          Array.from({ length: TASKS }, (_, id) => id),
        );
      },
    );
  });
}
