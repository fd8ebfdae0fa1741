/** Databases that are missing, unreachable, empty or of another version; missing drivers; and what is never printed. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEngine, defineWorkflow } from "@escapement/engine";
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

test("what is no database is refused with a word, and without a stack", async () => {
  const text = join(directory.path, "text.db");
  writeFileSync(text, "no database, but a text ".repeat(100));
  for (const db of [directory.path, text, "http://127.0.0.1:1?unheard=of"])
    for (const verb of ["ls", "doctor"]) {
      const refused = await runCommand([verb, "--db", db]);
      expect([db, refused.code]).toEqual([db, 1]);
      expect(`${refused.stderr}${refused.stdout}`).toMatch(
        /^(escapement: (DATABASE_[A-Z_]+|STORE_OPTIONS_INVALID):|fail +(reached|schema)) /m,
      );
      expect(refused.stderr).not.toContain("    at ");
    }
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

test("S8-010 a database that has had a bulk job is read as any other, and its jobs are shown and begun", async () => {
  const order = defineWorkflow({ name: "order" }, () => undefined);
  const engine = createEngine({ workflows: { order }, store: sqlite(file), bulk: true });
  await engine.createInstance("order", { id: "o-1" });
  const before = await runCommand(["bulk", "pause", "--workflow", "order", "--yes", "--db", file]);
  expect(before.stderr).toMatch(
    /^escapement: BULK_DISABLED: the database has had no bulk job, .*--url/,
  );
  const { id } = await engine.startBulk({ act: "pause", workflows: ["order"] });
  await engine.close();
  expect((await runCommand(["ls", "--db", file])).stdout).toMatch(/^order +o-1 +queued/m);
  expect((await runCommand(["bulk", "show", id, "--db", file])).stdout).toContain("queued");
  const begun = await runCommand(["bulk", "pause", "--workflow", "order", "--yes", "--db", file]);
  expect(begun).toMatchObject({ code: 0, stderr: "" });
});

test("S8-010 what an instance holds is not taken for a refusal of the command", async () => {
  const order = defineWorkflow({ name: "order" }, () => undefined);
  const engine = createEngine({ workflows: { order }, store: sqlite(file) });
  await engine.createInstance("order", { id: "o-1", memo: { code: "BULK_DISABLED" } });
  await engine.close();
  const shown = await runCommand(["show", "order", "o-1", "--json", "--db", file]);
  expect(shown).toMatchObject({ code: 0, stderr: "" });
  expect(shown.stdout).toContain("BULK_DISABLED");
});

test("S8-006 S8-010 what an import has staged is no workflow, and stops no command; nor does a name longer than most", async () => {
  const name = "o".repeat(80);
  const long = defineWorkflow({ name }, () => undefined);
  const engine = createEngine({
    workflows: { long },
    store: sqlite(file),
    limits: { maxWorkflowNameLength: 100 },
  });
  for (const id of ["o-1", "o-2"]) await engine.createInstance(name, { id });
  await engine.close();
  execute(
    `update "workflow_instance_workflows" set "workflowName" = '!import e-1234567 ${name}', "status" = 'paused' where "instanceId" = 'o-2'`,
  );
  const { stdout, stderr } = await runCommand(["ls", "--db", file]);
  expect(stderr).toBe("");
  expect(stdout).toContain("o-1");
  expect(stdout).not.toContain("o-2");
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
