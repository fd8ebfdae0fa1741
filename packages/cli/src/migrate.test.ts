/** Tables by the command: planned, created and upgraded; and ticks on them by hand. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import Libsql from "libsql";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { runCommand } from "./testing-command.ts";

vi.setConfig({ testTimeout: 150_000 });

const APP = fileURLToPath(new URL("testing-app.ts", import.meta.url));
let file: string;
let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
  file = join(directory.path, "data.db");
  writeFileSync(file, "");
});
afterEach(() => directory.remove());

const countTables = (path = file): number => {
  const connection = new Libsql(path);
  const rows = connection.prepare("select name from sqlite_master where type = 'table'").all();
  connection.close();
  return rows.length;
};

const migrate = (...args: readonly string[]) => runCommand(["migrate", "--db", file, ...args]);

test("migrate --plan prints SQL that does what migrate does, and changes nothing", async () => {
  const plan = await migrate("--plan");
  expect(plan).toMatchObject({ code: 0, stderr: "" });
  expect(plan.stdout).toMatch(
    /^-- There are no tables yet; those of version \d+ would be created\. In one/,
  );
  expect(countTables()).toBe(0);
  const other = join(directory.path, "other.db");
  const connection = new Libsql(other);
  connection.exec(plan.stdout);
  connection.close();
  expect((await migrate("--yes")).stdout).toMatch(
    /^The tables are at version \d+ now; indexes: full/,
  );
  expect(countTables()).toBe(countTables(other));
  const again = await runCommand(["migrate", "--db", other, "--plan", "--json"]);
  expect(JSON.parse(again.stdout)).toMatchObject({ statements: [], indexes: "full" });
});

test("migrate changes nothing where nobody can say yes, and says when there is nothing to do", async () => {
  const unasked = await migrate();
  expect(unasked).toMatchObject({ code: 2, stdout: "" });
  expect(unasked.stderr).toMatch(/give --plan to look, --yes to begin/);
  expect(countTables()).toBe(0);
  await migrate("--yes");
  expect(await migrate()).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^The tables are at version \d+: nothing to do\.\n$/),
  });
  const missing = await runCommand(["migrate", "--db", `${file}x`, "--yes"]);
  expect(missing.stderr).toMatch(/^escapement: DATABASE_NOT_FOUND: /);
});

test("migrate leaves tables of newer code alone", async () => {
  await migrate("--yes");
  const connection = new Libsql(file);
  connection.exec(
    "update fragno_db_settings set value = '9999' where key like 'workflows.schema%'",
  );
  connection.close();
  for (const option of ["--plan", "--yes"]) {
    const { code, stdout, stderr } = await migrate(option);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^escapement: SCHEMA_MISMATCH: .*newer than this command's/);
  }
});

test("tick runs what is due once, by the code of a module, and never without code", async () => {
  const environment = { TESTING_DATABASE: file, ESCAPEMENT_ENGINE: APP };
  await runCommand(["start", "order", "--id", "o-1"], environment);
  expect(await runCommand(["tick"], environment)).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^1 instance advanced; the next is due in \d+ s\.\n$/),
    stderr: "",
  });
  const ls = await runCommand(["ls"], environment);
  expect(ls.stdout).toMatch(/^order +o-1 +waiting/m);
  const none = await runCommand(["tick", "--json"], environment);
  expect(JSON.parse(none.stdout)).toMatchObject({ processed: 0, moreDue: false });
  const unarmed = await runCommand(["tick", "--db", file]);
  expect([unarmed.code, unarmed.stderr]).toEqual([
    2,
    expect.stringMatching(/a tick runs your code: give --engine/),
  ]);
});
