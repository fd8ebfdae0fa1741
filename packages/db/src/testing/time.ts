import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "../batch.ts";
import { apply, type ContractContext, createTable, select, sql } from "./contract.ts";

// A wrong time zone is off by at least a quarter of an hour; the clocks of two machines differ by seconds.
const TOLERANCE_MS = 5 * 60_000;
const SESSION_ZONE = "Asia/Tokyo";

/** If the process's environment can be set, its time zone is New York during these tests. */
const environment =
  (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env ?? {};

/** Milliseconds UTC, whatever the time zones of the process (New York) and of the session (Tokyo). */
export function describeTime({ database }: ContractContext): void {
  // Only Postgres has a session time zone; the setting ends with the batch.
  const inTokyo = (client: Database) =>
    client.dialect.name === "postgres"
      ? [sql(client, `select set_config('TimeZone', '${SESSION_ZONE}', true)`)]
      : [];
  const instantColumn = (): string =>
    database().dialect.name === "postgres" ? "timestamp" : "integer";

  describe("time", () => {
    const zoneBefore = environment["TZ"];
    beforeEach(() => {
      environment["TZ"] = "America/New_York";
    });
    afterEach(() => {
      if (zoneBefore === undefined) delete environment["TZ"];
      else environment["TZ"] = zoneBefore;
    });

    test("database time is whole milliseconds UTC as a number", async () => {
      const { nowMs, clockMs } = database().dialect;
      const rows = await apply(
        database(),
        ...inTokyo(database()),
        sql(database(), `select ${nowMs} as now, ${clockMs} as clock`),
      );
      const [{ now, clock }] = rows.at(-1) as [{ now: number; clock: number }];
      for (const instant of [now, clock]) {
        expect(Number.isInteger(instant)).toBe(true);
        expect(Math.abs(instant - Date.now())).toBeLessThan(TOLERANCE_MS);
      }
      expect(clock).toBeGreaterThanOrEqual(now);
    });

    test("an instant goes through a timestamp column unchanged, null too", async () => {
      const table = await createTable(database(), `id integer, at ${instantColumn()}`);
      const { fromMs, toMs } = database().dialect;
      const instants = [
        0,
        1,
        999,
        1_700_000_000_123,
        1_763_715_600_999,
        4_102_444_800_001,
        -1,
        null,
      ];
      await apply(
        database(),
        ...inTokyo(database()),
        ...instants.map((at, id) =>
          sql(database(), `insert into ${table} (id, at) values (?, ${fromMs("?")})`, id, at),
        ),
      );
      expect(
        await select(database(), `select ${toMs("at")} as at from ${table} order by id`),
      ).toEqual(instants.map((at) => ({ at })));
    });

    test("S2-001 database time is a value to store and a condition to compare with, whoever wrote it", async () => {
      const table = await createTable(database(), `id integer, at ${instantColumn()}`);
      const { fromMs, nowMs, toMs } = database().dialect;
      await apply(
        database(),
        ...inTokyo(database()),
        sql(database(), `insert into ${table} (id, at) values (1, ${fromMs(nowMs)})`),
        sql(database(), `insert into ${table} (id, at) values (2, ${fromMs(`${nowMs} + 60000`)})`),
      );
      expect(
        await select(
          database(),
          `select id, ${toMs("at")} - ${nowMs} as ahead from ${table} ` +
            `where at <= ${fromMs(nowMs)} or at > ${fromMs(`${nowMs} + 30000`)} order by id`,
        ),
      ).toEqual([
        {
          id: 1,
          ahead: expect.toSatisfy((ahead: number) => ahead <= 0 && ahead > -TOLERANCE_MS) as number,
        },
        {
          id: 2,
          ahead: expect.toSatisfy((ahead: number) => ahead > 30_000 && ahead <= 60_000) as number,
        },
      ]);
    });

    test("the smaller and the larger of two instants ignore nulls", async () => {
      const { least, greatest } = database().dialect;
      const table = await createTable(database(), "a integer, b integer");
      await apply(
        database(),
        sql(
          database(),
          `insert into ${table} (a, b) values (1, 2), (null, 2), (1, null), (null, null)`,
        ),
      );
      expect(
        await select(
          database(),
          `select ${least("a", "b")} as low, ${greatest("a", "b")} as high from ${table}`,
        ),
      ).toEqual([
        { low: 1, high: 2 },
        { low: 2, high: 2 },
        { low: 1, high: 1 },
        { low: null, high: null },
      ]);
    });
  });
}
