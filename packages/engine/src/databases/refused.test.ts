import { writeFileSync } from "node:fs";
import { createPostgresDatabase, temporaryDirectory } from "@escapement-internal/test-servers";
import { afterEach, expect, test } from "vitest";
import type { SqlStore } from "../stores/sql/index.ts";
import { postgres } from "./postgres.ts";
import { sqlite } from "./sqlite.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});
const later = (store: SqlStore): SqlStore => {
  cleanups.push(() => store.close());
  return store;
};
const quiet = { log: () => undefined };
const list = (store: SqlStore): Promise<unknown> => store.loadInstance("order", "o-1");

test.each(["auto", "check", "none"] as const)(
  "a database or a user that does not exist, or TLS that the server has not, is a mistake of the URL, with migrations: %s",
  async (migrations) => {
    const { url, drop } = await createPostgresDatabase();
    cleanups.push(drop);
    const nobody = new URL(url);
    nobody.username = "nobody";
    for (const [wrong, said] of [
      [`${url}_missing`, `_missing" does not exist`],
      [nobody.href, 'role "nobody" does not exist'],
      [`${url}?sslmode=require`, "does not support SSL connections"],
    ] as const) {
      const refusal = list(later(postgres(wrong, { logger: quiet, migrations })));
      await expect(refusal).rejects.toMatchObject({
        code: "STORE_OPTIONS_INVALID",
        message: expect.stringMatching(
          new RegExp(`${said}; expected: an existing database, a user or token .* and TLS `, "u"),
        ) as string,
      });
    }
  },
);

test("a server that is away is told of with the system's code", async () => {
  const store = later(postgres("postgres://me@127.0.0.1:1/db"));
  await expect(list(store)).rejects.toThrow(/cannot be reached \(ECONNREFUSED\)$/u);
});

test("a file that is no database says so, with what was expected", async () => {
  const directory = temporaryDirectory();
  cleanups.push(() => directory.remove());
  const file = `${directory.path}/notes.db`;
  writeFileSync(file, "These are notes. ".repeat(100));
  for (const [path, said] of [
    [file, "is not a database"],
    [directory.path, "unable to open"],
  ] as const)
    await expect(list(later(sqlite(path)))).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: expect.stringMatching(
        new RegExp(`${path} cannot be opened: .*${said}.*; expected a SQLite file`, "iu"),
      ) as string,
    });
});
