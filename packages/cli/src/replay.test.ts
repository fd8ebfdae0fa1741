/** Stored histories against changed code, in a process as in a pipeline. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createEngine, type Engine } from "@escapement/engine";
import { sqlite } from "@escapement/engine/sqlite";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Ended, runCommand } from "./testing-command.ts";
import { workflows } from "./testing-deployed.ts";

vi.setConfig({ testTimeout: 150_000, hookTimeout: 60_000 });

const MODULE = fileURLToPath(new URL("testing-deployed.ts", import.meta.url));
const directory = temporaryDirectory();
const file = join(directory.path, "data.db");
afterAll(() => directory.remove());

const hasStatus = (engine: Engine, [workflow, id]: readonly [string, string], status: string) =>
  vi.waitFor(
    async () => {
      const { details } = await engine.getInstance(workflow, id);
      expect(details.status).toBe(status);
    },
    { timeout: 50_000, interval: 20 },
  );

beforeAll(async () => {
  const engine = createEngine({ workflows, store: sqlite(file), logger: { log: () => undefined } });
  const loop = engine.startLoop();
  for (const [workflow, id, status] of [
    ["parcel", "p-1", "waiting"],
    ["parcel", "p-2", "waiting"],
    ["letter", "l-1", "complete"],
  ] as const) {
    await engine.createInstance(workflow, { id });
    await hasStatus(engine, [workflow, id], status);
  }
  await loop.stop();
  await engine.close();
});

const replay = (edit: string, ...more: readonly string[]): Promise<Ended> =>
  runCommand(["replay", "--from", file, "--module", MODULE, ...more], {
    TESTING_EDIT: edit,
    TESTING_REFUSES_BODIES: "1",
  });

test("S8-013 replay tells once each place at which new code diverges, with how many instances and the newest of them, and ends with 1", async () => {
  const { code, stdout, stderr } = await replay("rename");
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  expect(stdout).toMatch(/^WORKFLOW +STEP +INSTANCES +FOR EXAMPLE +WHAT$/m);
  expect(stdout).toMatch(/^parcel +weigh +2 +p-2 +history has step "weigh", which the code does/m);
  expect(stdout).toMatch(/^3 replayed, 2 diverged, 0 would end in another way\.$/m);
  expect(stdout).toMatch(/step\.version/);
});

test("S8-013 replay of code that histories outlive ends with 0, and starts no body", async () => {
  const { code, stdout } = await replay("");
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: "3 replayed, 0 diverged, 0 would end in another way.\n",
  });
});

test.each([
  ["end", "returns something else"],
  ["more", "has more to do"],
])("S8-013 an instance that new code ends in another way is named: %s", async (edit, says) => {
  const { code, stdout } = await replay(edit);
  expect([code, stdout]).toEqual([
    0,
    "3 replayed, 0 diverged, 1 would end in another way.\n" +
      `For example letter l-1: it is complete, and the code ${says}. --json names each.\n`,
  ]);
});

test("an empty --from, as of a variable that is not set, is no missing file", async () => {
  const { code, stderr } = await runCommand(["replay", "--from", "", "--module", MODULE]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/no database was given; is the environment variable set\?/);
});

test("S8-013 a workflow that new code no longer has is told of, as none of its instances was replayed", async () => {
  const { code, stdout } = await replay("gone");
  expect([code, stdout]).toEqual([
    0,
    "2 replayed, 0 diverged, 0 would end in another way.\n" +
      "The database has instances of these too, which the module does not export: letter\n",
  ]);
  const strict = await replay("gone", "--strict", "--json");
  expect([strict.code, JSON.parse(strict.stdout)]).toMatchObject([3, { notInModule: ["letter"] }]);
  // Its only instance has ended, so a deploy without the workflow leaves no live one behind.
  const live = await replay("gone", "--strict", "--status", "queued,running,waiting", "--json");
  expect([live.code, JSON.parse(live.stdout)]).toMatchObject([0, { notInModule: [] }]);
});

test("S8-013 replay takes some of a database by workflow, status and count, and with --strict a pipeline learns that they are not all", async () => {
  const some = await replay(
    "rename",
    "--workflow",
    "parcel",
    "--status",
    "waiting",
    "--limit",
    "1",
    "--strict",
    "--json",
  );
  expect(some.code).toBe(1);
  expect(JSON.parse(some.stdout)).toMatchObject({
    replayedCount: 1,
    divergedCount: 1,
    divergences: [{ instanceId: "p-2", runNumber: 1, kind: "notCalled", stepKey: "weigh" }, {}],
  });
  const newest = await replay("", "--limit", "1", "--strict");
  expect({ code: newest.code, stdout: newest.stdout }).toEqual({
    code: 3,
    stdout:
      "1 replayed, 0 diverged, 0 would end in another way.\nThere may be more, which were not replayed: raise --limit.\n",
  });
  expect((await replay("rename", "--workflow", "letter")).code).toBe(0);
  expect((await replay("", "--workflow", "nobody")).stderr).toMatch(
    /^escapement: WORKFLOW_NOT_FOUND: /,
  );
});

test("a module without workflows, and a database that is missing, are refused by name", async () => {
  const table = fileURLToPath(new URL("table.ts", import.meta.url));
  const refused = await runCommand(["replay", "--from", file, "--module", table]);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toMatch(/^escapement: MODULE_NOT_LOADED: .* exports no workflow/);
  const missing = await runCommand(["replay", "--from", `${file}x`, "--module", MODULE]);
  expect(missing.stderr).toMatch(/^escapement: DATABASE_NOT_FOUND: /);
  const folder = await runCommand(["replay", "--from", directory.path, "--module", MODULE]);
  expect(folder).toMatchObject({ code: 1, stdout: "" });
  expect(folder.stderr).toBe(
    `escapement: DATABASE_NOT_FOUND: ${directory.path} is a folder: name a file in it\n`,
  );
});

/** Exports of a store that the command cannot reach. */
async function exportParcels(...ids: readonly string[]): Promise<string> {
  const engine = createEngine({ workflows, store: createMemoryStore() });
  let lines = "";
  for (const id of ids) {
    await engine.createInstance("parcel", { id });
    await engine.tick();
    await engine.control("parcel", id, "pause");
    for await (const line of engine.export("parcel", id)) lines += line;
  }
  await engine.close();
  return lines;
}

test("S8-006 S8-013 replay takes a file that export wrote, by what it holds, or from standard input, without a database", async () => {
  const environment = { TESTING_EDIT: "rename", TESTING_REFUSES_BODIES: "1" };
  const lines = await exportParcels("p-8", "p-9");
  const path = join(directory.path, "parcels");
  writeFileSync(path, lines);
  const told = await runCommand(["replay", "--from", path, "--module", MODULE], environment);
  expect([told.code, told.stderr]).toEqual([1, ""]);
  expect(told.stdout).toMatch(/^parcel +weigh +2 +p-8 +history has step "weigh", which the code/m);
  expect(told.stdout).toMatch(/^2 replayed, 2 diverged, 0 would end in another way\.$/m);
  const piped = ["replay", "--from", "-", "--module", MODULE, "--json"];
  const same = await runCommand(piped, { TESTING_REFUSES_BODIES: "1" }, lines);
  expect([same.code, same.stderr]).toEqual([0, ""]);
  expect(JSON.parse(same.stdout)).toMatchObject({ replayedCount: 2, divergedCount: 0 });
});

test("S8-006 an export that was cut off or is empty is refused, and so is a choice among its instances", async () => {
  const path = join(directory.path, "cut.jsonl");
  const line = ["replay", "--from", path, "--module", MODULE];
  for (const text of ["", (await exportParcels("p-8")).slice(0, -40)]) {
    writeFileSync(path, text);
    const { code, stdout, stderr } = await runCommand(line);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^escapement: IMPORT_INVALID: /);
  }
  const some = await runCommand([...line, "--limit", "1"]);
  expect([some.code, some.stderr]).toEqual([2, expect.stringMatching(/a file is replayed whole/)]);
});

test("S8-013 what --from has of a password is in no message", async () => {
  const from = "libsql://ops:s3cret-of-a-database@127.0.0.1:1/x";
  const refused = await runCommand(["replay", "--from", from, "--module", MODULE]);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("[secret]")]);
  expect(refused.stderr).not.toContain("s3cret-of-a-database");
});
