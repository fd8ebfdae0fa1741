/** Stored histories against code that was changed, as a process in a pipeline runs it. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createEngine, type Engine } from "@escapement/engine";
import { sqlite } from "@escapement/engine/sqlite";
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

test("S8-013 replay tells each instance that new code diverges from, with the place, and ends with 1", async () => {
  const { code, stdout, stderr } = await replay("rename");
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  expect(stdout).toMatch(/^WORKFLOW +ID +RUN +STEP +WHAT$/m);
  expect(stdout).toMatch(/^parcel +p-1 +1 +weigh +history has step "weigh", which the code does/m);
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

test("S8-013 replay takes some of a database by workflow, status and count, and gives JSON", async () => {
  const some = await replay(
    "rename",
    "--workflow",
    "parcel",
    "--status",
    "waiting",
    "--limit",
    "1",
    "--json",
  );
  expect(some.code).toBe(1);
  expect(JSON.parse(some.stdout)).toMatchObject({
    replayedCount: 1,
    divergedCount: 1,
    divergences: [{ instanceId: "p-2", runNumber: 1, kind: "notCalled", stepKey: "weigh" }, {}],
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
});
