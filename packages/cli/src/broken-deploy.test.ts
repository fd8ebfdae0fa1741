/** The page of a broken deploy and its example: what is printed is what the page says, and does what the page says. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { createEngine, defineWorkflow } from "@escapement/engine";
import { sqlite } from "@escapement/engine/sqlite";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Ended, runCommands } from "./testing-command.ts";
import { type Dev, readParts, ROOT, startDev, toArgs } from "./testing-walk.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const EXAMPLE = join(ROOT, "examples/broken-deploy/src/main.ts");
const directory = temporaryDirectory();
const file = join(directory.path, "orders.db");
const variables: Record<string, string> = {};
let dev: Dev | null = null;
let said = "";

beforeAll(async () => {
  // An earlier start has left something.
  for (const suffix of ["", "-wal", "-shm"]) writeFileSync(`${file}${suffix}`, "of the day before");
  const args = ["--import", "tsx", EXAMPLE, "--dir", directory.path];
  said = (await promisify(execFile)(process.execPath, args, { cwd: ROOT })).stdout;
});
afterAll(async () => {
  await dev?.stop();
  directory.remove();
});

test("what the example says to type next is what its page says, word for word", () => {
  const printed = said
    .replaceAll(relative(ROOT, file), "examples/broken-deploy/run/orders.db")
    .split("\n\n")
    .slice(1)
    .map((part) => part.trimEnd().split("\n  "))
    .map(([title = "", ...commands]) => [title.replace(/ \(.*\)$/, ""), commands]);
  const [first, ...rest] = readParts().map(({ title, commands }) => [title, commands] as const);
  const [start, ...begin] = first?.[1] ?? [];
  expect(printed).toEqual([[first?.[0], begin], ...rest]);
  expect(start).toBe("npm run example broken-deploy");
  expect(said).toMatch(/^orders: 700 complete, 300 errored\nThey stay in /);

  const [alias = ""] = begin;
  const script = /^alias escapement="npm run --silent (\S+) --"$/.exec(alias)?.[1] ?? "";
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  expect(scripts[script]).toBe("node scripts/bootstrap.mjs escapement");
});

/** Types parts of the page. A process that stays takes the place of the one before; the others share one, to be quick. */
async function type(...titles: readonly string[]): Promise<readonly Ended[]> {
  const parts = readParts().filter(({ title }) => titles.includes(title));
  const lines: string[][] = [];
  for (const line of parts.flatMap(({ commands }) => commands)) {
    const [, name = "", value = ""] = /^export (\w+)=(.*)$/.exec(line) ?? [];
    if (name !== "") variables[name] = name === "DATABASE_URL" ? file : value;
    else if (line.startsWith("escapement dev ")) {
      await dev?.stop();
      dev = await startDev(toArgs(line, variables));
      variables["ESCAPEMENT_URL"] = dev.url;
    } else if (line.startsWith("escapement ")) lines.push(toArgs(line, variables));
  }
  // Nobody is there to press Ctrl-C.
  const looks = lines.map((words) => words.filter((word) => word !== "--watch"));
  const ended = looks.length === 0 ? [] : await runCommands(looks, variables);
  expect(ended.map(({ stderr }) => stderr)).toEqual(ended.map(() => ""));
  const printed = ended.map(({ stdout }) => stdout).join("");
  for (const shown of parts.flatMap((part) => part.shown)) expect(printed).toContain(shown);
  return ended;
}

test("the page's commands, typed in order on what the example left, find the 300, tell why, refuse the hasty fix, and retry them all by the mended code", async () => {
  await type("Try it yourself");
  const looked = await type("Find them", "Understand one", "Try the fix out");
  expect(looked.map(({ code }) => code)).toEqual([0, 0, 0, 0, 1, 0]);
  const [found, failed, explained, good] = looked;
  expect(found?.stdout.match(/^order +order-99[012] +errored .*'percent'\)$/gm)).toHaveLength(3);
  expect(failed?.stdout).toMatch(/^price +do +errored .*Cannot read properties of undefined/m);
  expect(explained?.stdout).toMatch(/Fix the cause, then retry it/);
  expect(good?.stdout).toMatch(/^charge +do +completed /m);
  await type("Deploy it");
  const [preview, begun] = await type("Retry them all");
  expect(preview?.stdout).toMatch(/^300 instances would be retried\./);
  expect(begun?.stdout).toMatch(/: retry, /);
  await vi.waitFor(
    async () => {
      const [jobs, left] = await type("Watch them end");
      expect(jobs?.stdout).toMatch(/ retry +complete +300 +0 +300$/m);
      expect(left?.stdout).toBe("No instance found.\n");
    },
    { timeout: 60_000, interval: 200 },
  );

  const workflows = { ORDER: defineWorkflow({ name: "order" }, () => Promise.resolve()) };
  const engine = createEngine({ workflows, store: sqlite(file), logger: { log: () => undefined } });
  // The job is over when each of them may go on; the last of them may still do so.
  const ends = async (): Promise<unknown> => {
    const { counts } = await engine.countInstances({ workflows: ["order"] });
    return counts.filter(({ count }) => count > 0).map(({ status, count }) => [status, count]);
  };
  await expect.poll(ends, { timeout: 60_000 }).toEqual([["complete", 1000]]);
  await engine.close();
});
