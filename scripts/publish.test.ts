/** Real npm, and a registry that has what was published to it. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

const PROGRAM = fileURLToPath(new URL("publish.mjs", import.meta.url));
const NAMES = ["first-of-two", "second-of-two"];

let folder: string;
let server: Server;
const published = new Map<string, unknown>();
let refused = "";

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const name = decodeURIComponent((request.url ?? "").slice(1));
  const isRefused = request.method === "PUT" && name === refused;
  if (request.method === "PUT" && !isRefused) published.set(name, JSON.parse(await text(request)));
  const found = published.get(name);
  response.statusCode = isRefused ? 403 : found === undefined ? 404 : 200;
  response.setHeader("content-type", "application/json").end(JSON.stringify(found ?? {}));
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "escapement-publish-"));
  server = createServer((request, response) => void answer(request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  for (const name of NAMES) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "package.json"), JSON.stringify({ name, version: "1.2.3" }));
    spawnSync("npm", ["pack", "--silent", "--pack-destination", folder], {
      cwd: join(folder, name),
    });
  }
  const packages = NAMES.map((name) => ({ name, version: "1.2.3", file: `${name}-1.2.3.tgz` }));
  writeFileSync(join(folder, "packages.json"), JSON.stringify(packages));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  published.clear();
  refused = "";
});

async function publish(version: string): Promise<{ code: number | null; output: string }> {
  const { port } = server.address() as AddressInfo;
  const child = spawn(process.execPath, [PROGRAM, folder, version], {
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      npm_config_registry: `http://127.0.0.1:${port}/`,
      [`npm_config_//127.0.0.1:${port}/:_authToken`]: "a-token-of-this-test",
    },
  });
  const ended = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await ended) as [number | null];
  return { code, output: stdout + stderr };
}

test("packages are published in their order, and a run that broke off goes on where it was", async () => {
  refused = "second-of-two";
  const broken = await publish("1.2.3");
  expect(broken.code, broken.output).toBe(1);
  expect(broken.output).toContain("second-of-two-1.2.3.tgz was not published");
  expect([...published.keys()]).toEqual(["first-of-two"]);
  refused = "";
  const again = await publish("1.2.3");
  expect(again.code, again.output).toBe(0);
  expect(again.output).toContain("first-of-two@1.2.3 is there");
  expect([...published.keys()]).toEqual(NAMES);
});

test("nothing is published under a tag that names another version", async () => {
  const { code, output } = await publish("1.2.4");
  expect(code).toBe(1);
  expect(output).toContain("version 1.2.4 is to be published, and packed are first-of-two 1.2.3");
  expect(published.size).toBe(0);
});
