/** Databases that are missing, unreachable, empty or of another version; drivers that are not there; and what never is printed. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { sqlite } from "@escapement/engine/sqlite";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import Libsql from "libsql";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { runCommand } from "../testing-command.ts";

vi.setConfig({ testTimeout: 150_000 });

const SECRET = "s3cret-of-a-database";
let file: string;
let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
  file = join(directory.path, "data.db");
});
afterEach(() => directory.remove());

function execute(text: string): void {
  const connection = new Libsql(file);
  connection.exec(text);
  connection.close();
}

test("a file that is missing is refused, and not made", async () => {
  const refused = await runCommand(["ls", "--db", file]);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toMatch(/^escapement: DATABASE_NOT_FOUND: there is no file /);
  expect(existsSync(file)).toBe(false);
});

test("a database without tables is told of, and gets none", async () => {
  execute("create table mine (id int)");
  const refused = await runCommand(["start", "order", "--db", `file:${file}`]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(
    /^escapement: SCHEMA_MISMATCH: the workflow tables are missing, .*store\.migrate/,
  );
  const tables = new Libsql(file).prepare("select name from sqlite_master").all();
  expect(tables).toEqual([{ name: "mine" }]);
});

test("a database of newer code is left alone", async () => {
  const store = sqlite(file);
  await store.migrate();
  await store.close();
  execute("update fragno_db_settings set value = '9999' where key = 'workflows.schema_version'");
  const refused = await runCommand(["ls", "--db", file]);
  expect(refused.stderr).toMatch(/at version 9999, newer than this command's \d+: install a newer/);
});

test("neither the URL nor its password is printed when a server does not answer", async () => {
  for (const db of [
    `postgres://admin:${SECRET}@127.0.0.1:1/orders`,
    `http://127.0.0.1:1?authToken=${SECRET}`,
  ]) {
    const refused = await runCommand(["ls"], { ESCAPEMENT_DB: db });
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(/^escapement: STORE_UNAVAILABLE: /);
    expect(refused.stderr).not.toContain(SECRET);
  }
});

test("a workflow that the database holds nothing of is refused with what to do instead", async () => {
  const store = sqlite(file);
  await store.migrate();
  await store.close();
  const refused = await runCommand(["start", "order", "--db", file]);
  expect(refused.stderr).toMatch(
    /^escapement: WORKFLOW_NOT_FOUND: the database holds nothing of that workflow.*--url or --engine/,
  );
  expect((await runCommand(["ls", "--db", file])).stdout).toBe("No instance found.\n");
});
