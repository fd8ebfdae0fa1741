import { describe, expect, test } from "vitest";
import { createBunSqlDatabase } from "./bun-sql/index.ts";
import { createBunSqliteDatabase } from "./bun-sqlite.ts";
import { createD1Database } from "./d1.ts";
import { createDataApiDatabase } from "./data-api/index.ts";
import { createLibsqlDatabase } from "./libsql.ts";
import { createNeonDatabase } from "./neon.ts";
import { createNodeSqliteDatabase } from "./node-sqlite.ts";
import { createPgDatabase } from "./pg/index.ts";
import { applyRecommendedPragmas, createSqliteDatabase } from "./sqlite.ts";

const connectionString = "postgres://user:pass@127.0.0.1/db";
/** A driver's own object, of which nothing is asked yet. */
const driver = {} as never;
const target = { resourceArn: "arn:a", secretArn: "arn:b", database: "db" };
const pg = (options: object) => createPgDatabase({ connectionString, ...options });

const aTime = "expected milliseconds above 0";
const aLimit = `${aTime}, or null for no limit`;
const aCount = "expected a whole number from 1";

describe("S5-045 a value that a client cannot use is refused when it is created", () => {
  test.each<readonly [string, (options: never) => unknown, object, string]>([
    ["pg", pg, { max: 0 }, `"max" is 0; ${aCount}`],
    ["pg", pg, { max: Number.NaN }, `"max" is NaN; ${aCount}`],
    ["pg", pg, { batchTimeoutMs: "5s" }, `"batchTimeoutMs" is "5s"; ${aLimit}`],
    ["pg", pg, { idleTimeoutMs: -1 }, `"idleTimeoutMs" is -1; ${aLimit}`],
    ["pg", pg, { connectionTimeoutMs: null }, `"connectionTimeoutMs" is null; ${aTime}`],
    [
      "pg",
      pg,
      { preparedStatements: "no" },
      '"preparedStatements" is "no"; expected true or false',
    ],
    ["pg", pg, { onConnectionError: "log" }, '"onConnectionError" is "log"; expected a function'],
    [
      "pg, over a pool",
      (options: object) => createPgDatabase({ pool: driver, ...options }),
      { lockTimeoutMs: 2 ** 31 },
      `"lockTimeoutMs" is 2147483648; ${aLimit}`,
    ],
    ...(
      [
        ["neon", (options: never) => createNeonDatabase(driver, options)],
        ["libsql", (options: never) => createLibsqlDatabase(driver, options)],
        ["d1", (options: never) => createD1Database(driver, options)],
        ["bun-sql", (options: never) => createBunSqlDatabase(driver, options)],
        ["data-api", (options: object) => createDataApiDatabase(driver, { ...target, ...options })],
      ] as const
    ).map(
      ([name, create]) =>
        [name, create, { batchTimeoutMs: 0 }, `"batchTimeoutMs" is 0; ${aLimit}`] as const,
    ),
    [
      "data-api",
      (options: object) => createDataApiDatabase(driver, { ...target, ...options }),
      { resumeTimeoutMs: -1 },
      `"resumeTimeoutMs" is -1; ${aTime}`,
    ],
    ...(
      [
        ["sqlite", (options: never) => createSqliteDatabase(driver, options)],
        ["node-sqlite", (options: never) => createNodeSqliteDatabase(driver, options)],
        ["bun-sqlite", (options: never) => createBunSqliteDatabase(driver, options)],
      ] as const
    ).map(
      ([name, create]) =>
        [name, create, { maxPrepared: 0 }, `"maxPrepared" is 0; ${aCount}`] as const,
    ),
    [
      "pragmas",
      (options: never) => applyRecommendedPragmas(driver, options),
      { busyTimeoutMs: "1; drop table orders" },
      `"busyTimeoutMs" is "1; drop table orders"; ${aTime}`,
    ],
  ])("%s", (_name, create, options, message) => {
    expect(() => create(options as never)).toThrow(
      expect.objectContaining({
        code: "DATABASE_OPTIONS_INVALID",
        message: expect.stringContaining(message) as string,
      }),
    );
  });

  test("what it may be is taken: no limit, the default, and no wait", async () => {
    const given = { max: 1, batchTimeoutMs: null, lockTimeoutMs: 0.5, idleTimeoutMs: undefined };
    await pg(given).close();
    await createDataApiDatabase(driver, { ...target, resumeTimeoutMs: 0 }).close();
  });
});
