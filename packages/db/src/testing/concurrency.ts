import { describe, expect, test } from "vitest";
import type { Database } from "../batch.ts";
import { batchWithRetry } from "../retry.ts";
import { apply, type ContractContext, createTable, rowsOf, select, sql } from "./contract.ts";

const WRITERS = 20;
const INCREMENTS = 50;
// A thousand commits take seconds, and much longer on a busy machine.
const TIMEOUT_MS = 120_000;
// Chance decides how often the database is busy. The test is about lost writes, so it may try for long.
const PATIENT = { maxTries: 200, baseDelayMs: 2, maxDelayMs: 50 };

/** Concurrent batches: none is lost, and none sees half of another. */
export function describeConcurrency({ database, open, capabilities }: ContractContext): void {
  describe.skipIf(!capabilities.concurrentWriters)("concurrency", { timeout: TIMEOUT_MS }, () => {
    test("20 writers of 50 increments each lose none", async () => {
      const table = await createTable(database(), "id integer primary key, n integer");
      await apply(database(), sql(database(), `insert into ${table} (id, n) values (1, 0)`));
      const clients = [database(), await open()];
      const increment = async (client: Database): Promise<void> => {
        for (let time = 0; time < INCREMENTS; time += 1) {
          const statement = sql(client, `update ${table} set n = n + 1 where id = 1 returning n`);
          rowsOf(await batchWithRetry(client, [statement], PATIENT));
        }
      };
      await Promise.all(
        Array.from({ length: WRITERS }, (_, writer) =>
          increment(clients[writer % 2] ?? database()),
        ),
      );
      expect(await select(database(), `select n from ${table}`)).toEqual([
        { n: WRITERS * INCREMENTS },
      ]);
    });

    test("guarded writers: exactly one of those that expect the same version wins", async () => {
      const table = await createTable(database(), "id integer primary key, version integer");
      await apply(database(), sql(database(), `insert into ${table} (id, version) values (1, 0)`));
      const { dialect } = database();
      const claim = [
        sql(database(), `select id from ${table} where id = 1 ${dialect.forUpdate(table)}`),
        sql(
          database(),
          dialect.guard("version", `(select version from ${table} where id = 1) = 0`),
        ),
        sql(database(), `update ${table} set version = version + 1`),
      ];
      const results = await Promise.all(
        Array.from({ length: WRITERS }, () => batchWithRetry(database(), claim, PATIENT)),
      );
      expect(results.filter(({ kind }) => kind === "committed")).toHaveLength(1);
      expect(results.filter(({ kind }) => kind !== "committed")).toEqual(
        Array.from({ length: WRITERS - 1 }, () => ({
          kind: "conflict",
          reason: "guard",
          guard: "version",
        })),
      );
    });

    test("readers see all of a batch or nothing of it", async () => {
      const table = await createTable(database(), "id integer primary key, n integer");
      await apply(
        database(),
        sql(database(), `insert into ${table} (id, n) values (1, 0), (2, 0)`),
      );
      const other = await open();
      const write = async (): Promise<void> => {
        for (let n = 1; n <= 20; n += 1) {
          const set = (id: number) => sql(other, `update ${table} set n = ? where id = ?`, n, id);
          rowsOf(await batchWithRetry(other, [set(1), set(2)], PATIENT));
        }
      };
      const read = async (): Promise<void> => {
        for (let time = 0; time < 20; time += 1) {
          const statement = sql(database(), `select count(distinct n) as versions from ${table}`);
          const rows = rowsOf(await batchWithRetry(database(), [statement], PATIENT));
          expect(rows).toEqual([[{ versions: 1 }]]);
        }
      };
      await Promise.all([write(), read(), read()]);
    });
  });
}
