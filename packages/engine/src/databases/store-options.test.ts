import { expect, test } from "vitest";
import { createSqlStore } from "../stores/sql/index.ts";
import { d1 } from "./d1.ts";
import { durableObject } from "./durable-object.ts";
import { libsql } from "./libsql.ts";
import { neon } from "./neon.ts";
import { pglite } from "./pglite.ts";
import { postgres } from "./postgres.ts";
import { sqlite } from "./sqlite.ts";

const URL = "postgres://user:pass@127.0.0.1/db";
/** As a JavaScript caller would write it. */
const untyped = (options: object): never => options as never;

test("a URL of something else, or of nothing, is refused with what it must begin with", () => {
  const beginning = "must begin with postgres:// or postgresql://";
  expect(() => postgres("mysql://127.0.0.1/db")).toThrow(`the URL ${beginning}`);
  expect(() => sqlite(URL)).toThrow("not a URL; for a server use postgres(url) or libsql(url)");
  expect(() => postgres("orders")).toThrow(`the URL cannot be read: it ${beginning}, and special`);
});

test.each([
  ["postgres", (options: never) => postgres(URL, options)],
  ["neon", (options: never) => neon(URL, options)],
  ["pglite", (options: never) => pglite(undefined, options)],
  ["libsql", (options: never) => libsql("libsql://orders.turso.io", options)],
  ["sqlite", (options: never) => sqlite("orders.db", options)],
  ["d1", (options: never) => d1({} as never, options)],
  ["durableObject", (options: never) => durableObject({} as never, options)],
])(
  "S5-045 an option that %s does not read is refused, and so is an unknown value of one",
  (name, open) => {
    expect(() => open(untyped({ migration: "check" }))).toThrow(
      expect.objectContaining({
        code: "UNKNOWN_OPTION",
        message: `"migration" is not an option of ${name}; did you mean "migrations"?`,
      }),
    );
    expect(() => open(untyped({ migrations: "chek" }))).toThrow(
      expect.objectContaining({
        code: "STORE_OPTIONS_INVALID",
        message: 'the option "migrations" is "chek"; expected "auto", "check" or "none"',
      }),
    );
  },
);

const aTime = "expected milliseconds above 0";
const aLimit = `${aTime}, or null for no limit`;

test.each<readonly [string, unknown, string, string]>([
  ["max", Number.NaN, "NaN", "expected a whole number from 1"],
  ["max", -1, "-1", "expected a whole number from 1"],
  ["max", 0, "0", "expected a whole number from 1"],
  ["max", "5", '"5"', "expected a whole number from 1"],
  ["max", 1.5, "1.5", "expected a whole number from 1"],
  ["batchTimeoutMs", Number.NaN, "NaN", aLimit],
  ["batchTimeoutMs", 0, "0", aLimit],
  ["batchTimeoutMs", Number.POSITIVE_INFINITY, "Infinity", aLimit],
  ["lockTimeoutMs", "5s", '"5s"', aLimit],
  ["transactionTimeoutMs", -1, "-1", aLimit],
  ["idleTimeoutMs", 2 ** 31, "2147483648", aLimit],
  ["connectionTimeoutMs", null, "null", aTime],
  ["preparedStatements", "false", '"false"', "expected true or false"],
  ["notify", "no", '"no"', "expected true or false"],
  ["onConnectionError", "log", '"log"', "expected a function"],
])(
  "S5-045 a value that postgres cannot use is refused at the start: %s %s",
  (option, value, said, expected) => {
    expect(() => postgres(URL, untyped({ [option]: value }))).toThrow(
      expect.objectContaining({
        code: "STORE_OPTIONS_INVALID",
        message: expect.stringContaining(
          `the option "${option}" is ${said}; ${expected}`,
        ) as string,
      }),
    );
  },
);

test("S5-045 what a time limit may be is taken, and a file's wait may be none", async () => {
  const given = { max: 1, batchTimeoutMs: null, lockTimeoutMs: 0.5, idleTimeoutMs: 1 };
  const store = postgres(URL, { ...given, transactionTimeoutMs: undefined } as never);
  await store.close();
  await sqlite(":memory:", { busyTimeoutMs: 0 }).close();
  for (const wait of [Number.NaN, -1, null, "1; drop table orders"])
    expect(() => sqlite("orders.db", untyped({ busyTimeoutMs: wait }))).toThrow(
      'the option "busyTimeoutMs" is',
    );
});

test("S5-045 a store of a client refuses what it does not read, and a file an unknown durability", () => {
  const database = {};
  expect(() => createSqlStore(untyped({ database, notfy: true }))).toThrow(
    '"notfy" is not an option of createSqlStore; did you mean "notify"?',
  );
  expect(() => createSqlStore(untyped({ database, indexes: "small" }))).toThrow(
    'the option "indexes" is "small"; expected "full" or "lean"',
  );
  expect(() => sqlite("orders.db", untyped({ synchronous: "OFF" }))).toThrow(
    'the option "synchronous" is "OFF"; expected "FULL" or "NORMAL"',
  );
});

test("a store that is closed says so", async () => {
  const store = sqlite(":memory:");
  await store.now();
  await store.close();
  await expect(store.now()).rejects.toMatchObject({
    code: "STORE_UNAVAILABLE",
    message: "the database cannot be reached: the database client is closed",
  });
});
