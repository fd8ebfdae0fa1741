/** Commands that are killed, or stopped by Ctrl-C, in the middle of their work leave nothing half done. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createSqliteDatabase } from "@escapement/db/sqlite";
import { migrate } from "@escapement/engine/store/sql";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import Libsql from "libsql";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { runCommand } from "./testing-command.ts";
import { createTestingEngine } from "./testing-workflows.ts";

vi.setConfig({ testTimeout: 200_000 });

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const directory = temporaryDirectory();
const at = (name: string): string => join(directory.path, name);
const environment = { TESTING_DATABASE: at("data.db"), ESCAPEMENT_ENGINE: here("testing-app.ts") };
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});
afterAll(() => directory.remove());

/** More than is staged at once, and more than a pipe holds. */
const EVENTS = 450;

/** A paused order with many events, as lines. */
async function exportOrder(): Promise<readonly string[]> {
  const engine = createTestingEngine({ store: createMemoryStore() });
  await engine.createInstance("order", { id: "o-1" });
  await engine.tick();
  const payload = "x".repeat(1000);
  for (let count = 0; count < EVENTS; count += 1)
    await engine.sendEvent("order", "o-1", { type: "note", payload });
  await engine.control("order", "o-1", "pause");
  const lines: string[] = [];
  for await (const line of engine.export("order", "o-1")) lines.push(line);
  await engine.close();
  return lines;
}

function start(...args: readonly string[]) {
  const child = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), ...args], {
    env: { PATH: process.env["PATH"], ...environment },
  });
  children.push(child);
  child.stdin.on("error", () => undefined);
  const ended = once(child, "close") as Promise<[number | null, string | null]>;
  return { child, ended, stdout: text(child.stdout) };
}

const LONG = { timeout: 60_000, interval: 50 };

test("S8-006 an import that is killed has left nothing that anybody finds, and the same file is imported whole after it", async () => {
  const lines = await exportOrder();
  const database = createSqliteDatabase(new Libsql(at("data.db")));
  await migrate(database);
  const count = async (table: string): Promise<unknown> => {
    const statement = { text: `select count(*) as "n" from "${table}"`, values: [] };
    const result = await database.batch([statement]);
    return result.kind === "committed" ? result.rows[0]?.[0]?.["n"] : null;
  };
  const { child, ended } = start(here("main.ts"), "import", "-");
  child.stdin.write(lines.slice(0, -1).join(""));
  await vi.waitFor(async () => expect(await count("workflow_event_workflows")).not.toBe(0), LONG);
  child.kill("SIGKILL");
  await ended;

  const listed = await runCommand(["ls", "--json"], environment);
  expect(JSON.parse(listed.stdout)).toMatchObject({ instances: [] });
  const file = at("o-1.jsonl");
  writeFileSync(file, lines.join(""));
  expect(await runCommand(["import", file], environment)).toMatchObject({ code: 0, stderr: "" });
  // The staged records of the killed command are gone.
  expect(await count("workflow_instance_workflows")).toBe(1);
  expect(await count("workflow_event_workflows")).toBe(EVENTS);
  await database.close();
});

test("S8-006 an export that is killed leaves the file of the one before it as it was", async () => {
  const file = at("kept.jsonl");
  writeFileSync(file, "the one before");
  const program = at("export.ts");
  writeFileSync(
    program,
    `import { writeWhole } from ${JSON.stringify(here("move.ts"))};
     async function* lines() {
       yield "a line\\n";
       await new Promise((resolve) => setTimeout(resolve, 100_000));
     }
     void writeWhole(lines(), ${JSON.stringify(file)});`,
  );
  const { child, ended } = start(program);
  const unfinished = (): readonly string[] =>
    readdirSync(directory.path).filter((name) => name.endsWith(".unfinished"));
  await vi.waitFor(() => expect(unfinished()).toHaveLength(1), LONG);
  child.kill("SIGKILL");
  await ended;
  expect(readFileSync(file, "utf8")).toBe("the one before");
});

test("S8-013 a replay that Ctrl-C stops has told nothing, and a pipeline takes it for no success", async () => {
  const lines = await exportOrder();
  const workflows = here("testing-workflows.ts");
  const { child, ended, stdout } = start(
    here("main.ts"),
    "replay",
    "--from",
    "-",
    "--module",
    workflows,
    "--json",
  );
  // It has read more than a pipe holds, so the replay is under way.
  await new Promise((resolve) => child.stdin.write(lines.slice(0, -1).join(""), resolve));
  child.kill("SIGINT");
  expect(await ended).not.toEqual([0, null]);
  expect(await stdout).toBe("");
});
