/** `escapement dev` as a person uses it: the file changes while instances of it are running. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

vi.setConfig({ testTimeout: 180_000 });

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const PACKAGES = fileURLToPath(new URL("../../node_modules", import.meta.url));
const TSX = import.meta.resolve("tsx");

const toCode = (step: string): string => `
import { defineWorkflow } from "@escapement/engine";
enum Size { Small = 7 }
export const parcel = defineWorkflow({ name: "parcel" }, async (_event, step) => {
  const weight: number = await step.do("${step}", () => Size.Small);
  const { payload } = await step.waitForEvent<number>("collected", { type: "collected" });
  return { weight, payload, by: "${step}" };
});
`;

let directory: ReturnType<typeof temporaryDirectory>;
let child: ChildProcess;
let said: string;
beforeEach(() => {
  directory = temporaryDirectory();
  mkdirSync(join(directory.path, "node_modules"));
  for (const name of ["@escapement", "libsql"])
    symlinkSync(join(PACKAGES, name), join(directory.path, "node_modules", name));
  writeFileSync(join(directory.path, "package.json"), '{ "type": "module" }');
  said = "";
});
afterEach(async () => {
  if (child.exitCode === null) {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
  directory.remove();
});

const write = (code: string): void => writeFileSync(join(directory.path, "parcel.ts"), code);

function start(...args: readonly string[]): void {
  const line = ["--import", TSX, MAIN, "dev", "parcel.ts", "--port", "0", ...args];
  child = spawn(process.execPath, line, { cwd: directory.path });
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => (said += chunk.toString()));
}

const hears = (words: RegExp): Promise<RegExpExecArray> =>
  vi.waitFor(
    () => {
      const found = words.exec(said);
      if (found === null) throw new RangeError(`not said: ${words.source}\n${said}`);
      return found;
    },
    { timeout: 90_000, interval: 20 },
  );

async function ask(url: string, body?: object): Promise<{ details: { status: string } }> {
  const headers = { "content-type": "application/json" };
  const init = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch(url, init);
  expect(response.status).toBe(200);
  return (await response.json()) as { details: { status: string } };
}

const reaches = (url: string, details: object): Promise<void> =>
  vi.waitFor(async () => expect(await ask(url)).toMatchObject({ details }), {
    timeout: 60_000,
    interval: 50,
  });

test("S8-011 a TypeScript file runs with a database, an API and the dashboard; instances outlive a broken file and a reload; what no longer fits is told", async () => {
  write(toCode("weigh"));
  start();
  const [, url = ""] = await hears(/Dashboard +(http:\/\/127\.0\.0\.1:\d+)\/dashboard/);
  expect(said).toMatch(/parcel\.ts: parcel\. Database: \.escapement\/dev\.db/);
  expect(await (await fetch(`${url}/`)).text()).toMatch(/<!doctype html>/i);
  // The dashboard may do everything, jobs included, and knows the schemas.
  const page = await (await fetch(`${url}/dashboard`)).text();
  expect(page).toContain('data-allow="start steer events delete payloads" data-bulk');
  const api = `${url}/api/workflows/workflows/parcel/instances`;
  await ask(`${url}/dashboard/api/workflows/parcel/instances`, { id: "p-1" });
  await ask(api, { id: "p-2" });
  await reaches(`${api}/p-1`, { status: "waiting" });
  await reaches(`${api}/p-2`, { status: "waiting" });

  write("export const broken = ;");
  await hears(/MODULE_NOT_LOADED.*\n.*does not run\. Waiting for a change/s);

  // An edit while the one before is still being loaded: that process is stopped, and is no failure.
  write(
    'console.log("is being loaded"); await new Promise((resolve) => setTimeout(resolve, 1e8));',
  );
  await hears(/is being loaded/);
  write(toCode("weigh").replace("by:", "of: 'new code', by:"));
  await hears(/Reloaded parcel\.ts: parcel/);
  expect(said.match(/does not run/g)).toHaveLength(1);
  await ask(`${api}/p-1/events`, { type: "collected", payload: 5 });
  await reaches(`${api}/p-1`, {
    status: "complete",
    output: { weight: 7, payload: 5, of: "new code" },
  });

  write(toCode("put it on the scales"));
  await hears(
    /1 instance began under other code and no longer fits this one.*\n +parcel p-2: history has step "weigh"/,
  );

  child.kill("SIGINT");
  const [code] = (await once(child, "exit")) as [number];
  expect(code).toBe(0);
  await expect(fetch(url)).rejects.toThrow();
});

test("a port that another program has ends dev, which says who asked for it and what to do; the file is not blamed for a database that cannot be opened", async () => {
  write(toCode("weigh"));
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  start("--port", String(port));
  expect(await once(child, "close")).toEqual([1, null]);
  expect(said).toBe(
    `escapement: LISTEN_FAILED: another program has port ${port}, which --port asks for: stop that program, choose another port, or leave --port out to have a free one\n`,
  );
  other.close();
  start("--db", "postgres://nobody@127.0.0.1:1/nothing");
  await hears(/STORE_UNAVAILABLE: .*ECONNREFUSED.*\n.*does not run/);
  expect(said).not.toMatch(/Dashboard/);
});

test("a file whose workflows fit no engine, or that cannot be read, is told of in one line", async () => {
  write(
    `${toCode("weigh")}export const again = defineWorkflow({ name: "parcel" }, async () => 1);`,
  );
  start();
  await hears(
    /^escapement: \S+: workflow "parcel" is registered twice, .*\nparcel\.ts does not run/m,
  );
  write("export const broken = {{;");
  await hears(/^escapement: MODULE_NOT_LOADED: .* failed with 1 error: .*parcel\.ts:1:\d+: ERROR/m);
  expect(said).not.toContain("    at ");
});

/** Headers that a browser sends, and that `fetch` does not let us set. */
const statusOf = (url: string, headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request(`${url}/api/workflows/instances`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject).end();
  });

test("dev answers this machine alone: no other host's name, and no other origin's page", async () => {
  write(toCode("weigh"));
  start("--db", "other/place.db");
  const [, url = ""] = await hears(/Dashboard +(http:\/\/127\.0\.0\.1:\d+)\/dashboard/);
  const { port } = new URL(url);
  expect(await statusOf(url, {})).toBe(200);
  expect(
    await statusOf(url, { host: `localhost:${port}`, origin: `http://localhost:${port}` }),
  ).toBe(200);
  for (const headers of [
    { host: "attacker.example" },
    { host: `127.0.0.1.attacker.example:${port}` },
    { origin: "https://attacker.example" },
    { origin: "http://127.0.0.1:1" },
    { origin: "null" },
  ])
    expect([headers, await statusOf(url, headers)]).toEqual([headers, 403]);
  expect(said).toMatch(/For development: no sign-in/);
});
