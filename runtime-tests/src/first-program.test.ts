/** The README's first program, from an empty folder: its file, its lines, packed packages, and nothing else. One way a day. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  findFreePort,
  ofToday,
  spawnServer,
  temporaryDirectory,
} from "@escapement-internal/test-servers";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { type PackageRegistry, servePackages } from "./pages/packages.ts";
import { readPage, writeFiles } from "./pages/read-page.ts";
import { missingRuntime, RUNTIME_PATH } from "./tools.ts";

const TOKEN = "token-of-these-tests-only";
const README = readPage("README.md");
const PROGRAM = README.files.filter(({ path }) => path === "hello.ts");
const [[init = "", install = "", start = ""] = []] = README.commands.get("Quickstart") ?? [];
/** The README has it in a sentence. */
const OLDER = { install: "npm install libsql tsx", start: "npx tsx hello.ts" };

interface Way {
  readonly name: string;
  readonly missing: string | null;
  readonly lines: readonly string[];
  readonly start: string;
  readonly path: Readonly<Record<string, string>>;
}

const WAYS: readonly Way[] = [
  {
    name: "Node 24",
    missing: missingRuntime("node24"),
    lines: [init, install],
    start,
    path: RUNTIME_PATH,
  },
  {
    name: "Node 24 and pnpm, where a project sees only what it installs",
    missing: missingRuntime("node24"),
    lines: [init, install.replace("npm install", "npx --yes pnpm@10.34.9 add")],
    start,
    path: RUNTIME_PATH,
  },
  {
    name: "this Node, with libsql and tsx",
    missing: null,
    lines: [init, install, OLDER.install],
    start: start.replace("node hello.ts", OLDER.start),
    path: {},
  },
];

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

let registry: PackageRegistry;
beforeAll(async () => {
  registry = await servePackages();
}, 600_000);
afterAll(() => registry.stop());

describe.each(ofToday(WAYS, 1))("$name", (way) => {
  if (way.missing !== null) console.warn(`the first program SKIPPED: ${way.missing}`);

  test.skipIf(way.missing !== null)(
    "@escapement/node alone is enough to start; an order that was killed goes on beside the next one",
    { timeout: 300_000 },
    async () => {
      const port = await findFreePort();
      const folder = await makeFolder(way, port);
      const killed = await startProgram(folder, way, port);
      const orders = () => readOrders(port);
      const [first] = await vi.waitUntil(async () => filled(await orders()), { timeout: 10_000 });
      await killed.stop();

      const printed = await startProgram(folder, way, port, "receipt: 'receipt 1'");
      // It may have been killed before it had sent the event.
      await call(port, `/${first?.id}/events`, { type: "paid", payload: "receipt 1" });
      const done = { details: { status: "complete" } };
      await vi.waitFor(async () => expect(await orders()).toMatchObject([done, done]), 20_000);
      // A launcher would take a signal for itself.
      await printed.stop();
    },
  );
});

async function makeFolder({ lines, path }: Way, port: number): Promise<string> {
  const directory = temporaryDirectory();
  cleanups.push(() => directory.remove());
  const folder = directory.path;
  writeFileSync(join(folder, ".npmrc"), registry.npmrc);
  const settings = { npm_config_prefer_offline: "true", npm_config_audit: "false" };
  const options = { cwd: folder, env: { ...process.env, ...settings, ...path } };
  for (const line of lines) await promisify(execFile)("bash", ["-euc", line], options);
  const ours = ({ text, ...file }: (typeof PROGRAM)[number]) => ({
    ...file,
    text: text.replace("port: 3000", `port: ${port}`),
  });
  writeFiles(folder, PROGRAM.map(ours));
  return folder;
}

/** Starts it by its line, until its API answers and it has printed the text. */
async function startProgram(folder: string, way: Way, port: number, text = "") {
  const server = await spawnServer({
    command: "bash",
    args: ["-c", way.start.replace(/API_TOKEN=\$\(.*?\)/, `API_TOKEN=${TOKEN} exec`)],
    cwd: folder,
    env: way.path,
    ready: async (output) => {
      const answer = await fetch(urlOf(port)).catch(() => null);
      return answer?.status === 401 && output().includes(text);
    },
  });
  cleanups.push(() => server.stop());
  return server;
}

interface Order {
  readonly id: string;
}

const filled = (orders: readonly Order[]) => (orders.length > 0 ? orders : undefined);
const urlOf = (port: number): string =>
  `http://127.0.0.1:${port}/api/workflows/workflows/order/instances`;

async function readOrders(port: number): Promise<readonly Order[]> {
  const { instances } = (await call(port, "")) as { readonly instances: readonly Order[] };
  return instances;
}

/** With a body it is a POST. */
async function call(port: number, path: string, body?: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  const more = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(`${urlOf(port)}${path}`, { ...more, headers });
  return response.json();
}
