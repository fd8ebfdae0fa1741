/** What clients of a SQLite file keep, each in its own runtime: the contract, and what a second process makes of it. */
import { join } from "node:path";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import type { Database } from "@escapement/db";
import { sqliteDialect } from "@escapement/db/client";
import { describeDatabaseContract } from "@escapement/db/testing";
import LibsqlConnection from "libsql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "./bridge/connect.ts";
import { type RunningProgram, startProgram } from "./start-program.ts";
import { missingRuntime, type Runtime } from "./tools.ts";

interface SqliteFileClient {
  readonly name: string;
  readonly runtime: Runtime;
  /** In `programs/`; its arguments are the file's path and the milliseconds to wait for another writer. */
  readonly program: string;
}

/** Runs the suite for one client. */
export function describeSqliteFile({ name, runtime, program }: SqliteFileClient): void {
  const skip = missingRuntime(runtime);
  describeDatabaseContract({
    name,
    skip,
    async setup() {
      const directory = temporaryDirectory();
      const args = [join(directory.path, "data.db")];
      const running = await startProgram({ runtime, program, args });
      const database = connect(running.url, sqliteDialect);
      return {
        database,
        open: () => Promise.resolve(connect(running.url, sqliteDialect)),
        async teardown() {
          await database.close();
          await running.stop();
          directory.remove();
        },
      };
    },
  });
  describe.skipIf(skip !== null)(`${name} beside another process`, () => {
    describeBusyFile(runtime, program);
  });
}

function describeBusyFile(runtime: Runtime, program: string): void {
  const directory = temporaryDirectory();
  const path = join(directory.path, "data.db");
  const insert = [{ text: "insert into thing values (?1)", values: [1] }];
  const busy = { kind: "conflict", reason: "busy", guard: null };
  let running: RunningProgram;
  let holder: LibsqlConnection.Database;
  let database: Database;

  beforeAll(async () => {
    running = await startProgram({ runtime, program, args: [path, "0"] });
    database = connect(running.url, sqliteDialect);
    await database.batch([{ text: "create table thing (id integer primary key)", values: [] }]);
    holder = new LibsqlConnection(path);
  });
  afterAll(async () => {
    holder.close();
    await running.stop();
    directory.remove();
  });

  test("another writer on the file is a conflict, readers are not held up, and the next write passes", async () => {
    holder.exec("begin immediate");
    for (let time = 0; time < 3; time += 1) expect(await database.batch(insert)).toEqual(busy);
    expect(
      await database.batch([{ text: "select count(*) as n from thing", values: [] }]),
    ).toMatchObject({ kind: "committed", rows: [[{ n: 0 }]] });
    holder.exec("rollback");
    expect(await database.batch(insert)).toMatchObject({ kind: "committed" });
  });

  test("a batch after close is unavailable; closing twice does no harm", async () => {
    const other = connect(running.url, sqliteDialect);
    await other.close();
    await other.close();
    await expect(other.batch(insert)).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
  });
}
