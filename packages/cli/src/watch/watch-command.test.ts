/** `--watch` as people and scripts use it: a process, against the HTTP API that the Node adapter serves. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { serve } from "@escapement/node";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { compileCommand } from "../testing-command.ts";

vi.setConfig({ testTimeout: 150_000 });

const directory = temporaryDirectory();
process.env["TESTING_DATABASE"] = join(directory.path, "data.db");
const { engine, platform, TOKEN } = await import("../testing-app.ts");

let loop: ReturnType<typeof platform.start>;
let url: string;
let child: ChildProcess;
beforeAll(async () => {
  const server = await serve({ engine, port: 0 });
  loop = platform.start({ server });
  url = `${server.url}/api/workflows`;
});
afterAll(async () => {
  await loop.stop();
  directory.remove();
});
afterEach(() => void child.kill("SIGKILL"));

/** Its output so far, and its end. */
async function start(
  ...args: readonly string[]
): Promise<{ said: () => string; ended: Promise<unknown[]> }> {
  let said = "";
  const environment = { ESCAPEMENT_TOKEN: TOKEN, ESCAPEMENT_URL: url };
  const command = await compileCommand(args, environment);
  child = spawn(process.execPath, command.args, { env: command.env });
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  return { said: () => said, ended: once(child, "close") };
}

const says = (said: () => string, words: RegExp): Promise<void> =>
  vi.waitFor(() => expect(said()).toMatch(words), { timeout: 60_000, interval: 20 });

test("show --watch --json prints a line of JSON whenever something has changed, and ends with the instance", async () => {
  await engine.createInstance("order", { id: "o-1" });
  const { said, ended } = await start("show", "order", "o-1", "--watch", "1", "--json");
  await says(said, /"waiting"/);
  await engine.sendEvent("order", "o-1", { type: "approval" });
  expect(await ended).toEqual([0, null]);
  const lines = said().trimEnd().split("\n");
  const statuses = lines.map((line) => JSON.parse(line).details.status as string);
  expect(statuses.at(-1)).toBe("complete");
  expect(new Set(lines).size).toBe(lines.length);
});

test("ls --watch goes on until Ctrl-C, which is no failure, and prints nothing twice", async () => {
  await engine.createInstance("order", { id: "w-1" });
  await vi.waitFor(
    async () => expect((await engine.getInstance("order", "w-1")).details.status).toBe("waiting"),
    { timeout: 60_000 },
  );
  const { said, ended } = await start("ls", "--id-prefix", "w-", "--watch", "1");
  await says(said, /^order +w-1 +waiting/m);
  await engine.control("order", "w-1", "pause");
  await says(said, /^order +w-1 +paused/m);
  child.kill("SIGINT");
  expect(await ended).toEqual([0, null]);
  expect(said().match(/w-1 +paused/g)).toHaveLength(1);
});

test("a watch more often than each second is refused", async () => {
  const { said, ended } = await start("ls", "--watch", "0.5");
  expect(await ended).toEqual([2, null]);
  expect(said()).toMatch(/Expected seconds, from 1 to 3600/);
});
