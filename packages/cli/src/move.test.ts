/** The command moves an instance from one database to another, as the guide says. */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { afterAll, expect, test, vi } from "vitest";
import { toPlain, writeWhole } from "./move.ts";
import { type Ended, runCommand } from "./testing-command.ts";

vi.setConfig({ testTimeout: 200_000 });

const APP = fileURLToPath(new URL("testing-app.ts", import.meta.url));
const directory = temporaryDirectory();
afterAll(() => directory.remove());

const file = join(directory.path, "o-1.jsonl");
const at =
  (database: string) =>
  (...args: readonly string[]): Promise<Ended> =>
    runCommand(args, {
      TESTING_DATABASE: join(directory.path, database),
      ESCAPEMENT_ENGINE: APP,
    });

test("S8-006 export, import, moved and resume take an instance from one database to another", async () => {
  const [here, there] = [at("here.db"), at("there.db")];
  await here("start", "order", '{"sku":"tea"}', "--id", "o-1");
  const live = await here("export", "order", "o-1", "--out", file);
  expect([live.code, live.stderr]).toEqual([
    1,
    expect.stringMatching(/^escapement: INSTANCE_NOT_PAUSED: /),
  ]);
  expect(readdirSync(directory.path).filter((name) => name.includes("jsonl"))).toEqual([]);

  await here("pause", "order", "o-1");
  expect(await here("export", "order", "o-1", "--out", file)).toEqual({
    code: 0,
    stdout: "",
    stderr: "",
  });
  const piped = await here("export", "order", "o-1");
  expect(piped.stdout.split("\n")).toHaveLength(readFileSync(file, "utf8").split("\n").length);
  expect((await there("import", file)).stdout).toBe("order o-1: imported\n");
  expect((await here("moved", file)).stdout).toBe("order o-1: ended\n");
  expect((await here("show", "order", "o-1")).stdout).toContain("terminated");
  expect((await there("resume", "order", "o-1")).stdout).toBe("order o-1: queued, run 1\n");

  const again = await there("import", file);
  expect([again.code, again.stderr]).toEqual([
    1,
    expect.stringMatching(/^escapement: INSTANCE_ID_ALREADY_EXISTS: /),
  ]);
});

test("S8-006 a file that is none, and a way that has no export, are refused with a word", async () => {
  const there = at("other.db");
  const wrong = join(directory.path, "wrong.jsonl");
  writeFileSync(wrong, '{"kind":"header"}\n');
  const refused = await there("import", wrong);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    "escapement: IMPORT_INVALID: line 1: the file is invalid; expected one that export wrote\n",
  ]);
  for (const verb of ["import", "moved"]) {
    const missing = await there(verb, join(directory.path, "nowhere.jsonl"));
    expect([missing.code, missing.stderr]).toEqual([
      1,
      expect.stringMatching(/^escapement: ENOENT: .*\n$/),
    ]);
  }
  const overHttp = await runCommand(["--url", "http://127.0.0.1:9/api", "import", wrong]);
  expect([overHttp.code, overHttp.stderr]).toEqual([2, expect.stringContaining("--engine")]);
});

test("S8-006 a database that has never run a workflow takes its export by the code alone, and the command says so", async () => {
  const [here, there] = [at("known.db"), at("empty.db")];
  const exported = join(directory.path, "o-2.jsonl");
  await here("start", "order", '{"sku":"tea"}', "--id", "o-2");
  await here("pause", "order", "o-2");
  await here("export", "order", "o-2", "--out", exported);
  await there("ls");
  const database = join(directory.path, "empty.db");
  const refused = await runCommand(["import", exported, "--db", database]);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/^escapement: WORKFLOW_NOT_FOUND: .*--engine/),
  ]);
});

test("S8-006 on a terminal an export is the same JSON, and nothing that a terminal acts on", async () => {
  const line = { params: JSON.stringify("\u001b[2J\u009b31m\u202egpj.exe"), memo: "\u007f\u2028" };
  const exported = (async function* () {
    yield `${JSON.stringify(line)}\n`;
  })();
  let shown = "";
  for await (const each of toPlain(exported)) shown += each;
  expect(JSON.parse(shown)).toEqual(line);
  expect(shown).toMatch(/^[\u0020-\u007e]+\n$/);
});

async function* lines(count: number): AsyncGenerator<string> {
  for (let index = 0; index < count; index += 1) yield `${index}\n`;
}

test("S8-006 an export into a file leaves what it is written beside alone: a device, a link, another export into it", async () => {
  const folder = join(directory.path, "out");
  mkdirSync(folder);
  const inFolder = (name: string): string => join(folder, name);
  const [real, link, device] = [inFolder("real"), inFolder("link"), inFolder("device")];
  writeFileSync(real, "before");
  symlinkSync(real, link);
  symlinkSync("/dev/null", device);
  await writeWhole(lines(2), device);
  expect(statSync(device).isCharacterDevice()).toBe(true);
  await writeWhole(lines(2), link);
  expect([lstatSync(link).isSymbolicLink(), readFileSync(real, "utf8")]).toEqual([true, "0\n1\n"]);

  const both = [lines(3), lines(3000)].map((each) => writeWhole(each, real));
  await Promise.all(both);
  expect(["2", "2999"]).toContain(readFileSync(real, "utf8").trimEnd().split("\n").at(-1));
  expect(statSync(real).mode & 0o077).toBe(0);
  expect(readdirSync(folder).toSorted()).toEqual(["device", "link", "real"]);
});
