/** A clock inside the database, so that every process that uses the database sees the same time and tests can move it. */
import type { Database } from "@escapement/db";
import { type Dialect, DatabaseError, type Statement } from "@escapement/db/client";
import { untilLoaded } from "../core/late.ts";
import type { DurationMs, EpochMs } from "../core/model/records.ts";

/** Time that only tests move. */
export interface VirtualClock {
  now(): Promise<EpochMs>;
  /** Moves forward by `ms` ≥ 0. */
  advance(ms: DurationMs): Promise<void>;
  set(at: EpochMs): Promise<void>;
}

export interface VirtualDatabase {
  /** The database with its dialect's time read from the clock. */
  readonly database: Database;
  readonly clock: VirtualClock;
}

/** Where a new virtual clock stands: 2026-01-01T00:00:00Z. */
export const VIRTUAL_START_AT: EpochMs = 1_767_225_600_000;

const NOW = `(select "now_ms" from "escapement_virtual_clock")`;

/**
 * Gives a database a virtual clock: a table of one row, created if it is missing, replaces the server's time. Other processes
 * that do the same share the clock.
 */
export async function withVirtualClock(database: Database): Promise<VirtualDatabase> {
  await run(database, [
    {
      text: `create table if not exists "escapement_virtual_clock" ("id" integer primary key, "now_ms" bigint not null)`,
      values: [],
    },
    {
      text: `insert into "escapement_virtual_clock" ("id", "now_ms") values (1, ${VIRTUAL_START_AT}) on conflict do nothing`,
      values: [],
    },
  ]);
  const instant = database.dialect.fromMs(NOW);
  const dialect: Dialect = {
    ...database.dialect,
    now: instant,
    nowMs: NOW,
    clock: instant,
    clockMs: NOW,
  };
  const parameter = dialect.param(1);
  const move = async (expression: string, value: number): Promise<void> => {
    await untilLoaded();
    await run(database, [
      { text: `update "escapement_virtual_clock" set "now_ms" = ${expression}`, values: [value] },
    ]);
  };
  return {
    database: {
      dialect,
      batch: (statements, options) => database.batch(statements, options),
      close: () => database.close(),
    },
    clock: {
      now: async () =>
        Number(await run(database, [{ text: `select ${NOW} as "now"`, values: [] }])),
      advance: (ms) => move(`"now_ms" + ${parameter}`, ms),
      set: (at) => move(parameter, at),
    },
  };
}

/** First value of the last statement; processes that make the table at the same moment meet, so it tries again. */
async function run(database: Database, statements: readonly Statement[]): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    const result = await database.batch(statements);
    if (result.kind === "committed") return result.rows.at(-1)?.[0]?.["now"];
    if (attempt >= 20)
      throw new DatabaseError("DATABASE_UNAVAILABLE", "the virtual clock stays contended");
  }
}
