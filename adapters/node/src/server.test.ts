import { EventEmitter, once } from "node:events";
import { Agent, createServer, get, type IncomingMessage } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { applyRecommendedPragmas, createSqliteDatabase } from "@escapement/db/sqlite";
import { createEngine, defineWorkflow, type Engine } from "@escapement/engine";
import type { LoopPlatform, RunningPlatform } from "@escapement/engine/adapter";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import LibsqlConnection from "libsql";
import { afterEach, expect, test, vi } from "vitest";
import { createNodePlatform, handler, serve } from "./index.ts";
import { createReadiness } from "./readiness.ts";

const A_MINUTE_MS = 60_000;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const ORDER = defineWorkflow(
  { name: "order", retries: { limit: 2, delay: 20, backoff: "constant" } },
  async (event: { payload: unknown }, step) => {
    const charge = await step.do("charge", ({ attempt }) => {
      if (attempt === 1) throw new Error("the card reader is busy");
      return { attempt };
    });
    await step.sleep("settle", 50);
    const approval = await step.waitForEvent<{ by: string }>("approval", { type: "approval" });
    return { charge, approvedBy: approval.payload.by, params: event.payload };
  },
);

/** Emits when a body of SLOW has begun, and lets it continue. */
const slowBodies = new EventEmitter();
const SLOW = defineWorkflow({ name: "slow" }, async (_event, step) => {
  await step.do("slow", async () => {
    slowBodies.emit("begun");
    await new Promise<void>((resolve) => slowBodies.once("go on", resolve));
  });
});

type TestEngine = Engine<{ ORDER: typeof ORDER; SLOW: typeof SLOW }>;

async function openEngine(
  file: string,
  platform: LoopPlatform = createNodePlatform(),
): Promise<TestEngine> {
  const connection = new LibsqlConnection(file);
  applyRecommendedPragmas(connection, { synchronous: "NORMAL" });
  const database = createSqliteDatabase(connection);
  cleanups.push(() => database.close());
  await migrate(database);
  const store = createSqlStore({ database });
  return createEngine({ workflows: { ORDER, SLOW }, store, platform, http: { open: true } });
}

function databaseFile(): string {
  const directory = temporaryDirectory();
  cleanups.push(() => directory.remove());
  return join(directory.path, "data.db");
}

async function start(): Promise<{ engine: TestEngine; api: string }> {
  // Nothing here may come from polling.
  const platform = createNodePlatform({ pollMs: A_MINUTE_MS, graceMs: 1000 });
  const engine = await openEngine(databaseFile(), platform);
  const server = await serve({ engine, port: 0 });
  const loop = platform.start({ server });
  cleanups.push(() => loop.stop());
  return { engine, api: `${server.url}/api/workflows/workflows/order/instances` };
}

async function post(url: string, body: unknown): Promise<{ status: number; body: unknown }> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}

const statusAt = async (url: string): Promise<unknown> => (await fetch(url)).json();

test("S0-018 S0-016 S4-050 S4-053 created over HTTP, an instance runs at once, retries, sleeps, takes its event and completes", async () => {
  const { api } = await start();
  expect(await post(api, { id: "o-1", params: { sku: "désk" } })).toMatchObject({ status: 200 });
  const waits = { details: { status: "waiting" } };
  await expect
    .poll(() => statusAt(`${api}/o-1/history`), { interval: 10, timeout: 60_000 })
    .toMatchObject({ steps: [{}, {}, { name: "approval", status: "waiting" }] });
  expect(await statusAt(`${api}/o-1`)).toMatchObject(waits);
  const event = { type: "approval", payload: { by: "Noor" } };
  expect(await post(`${api}/o-1/events`, event)).toMatchObject({ status: 200 });
  await expect
    .poll(() => statusAt(`${api}/o-1`), { interval: 10, timeout: 60_000 })
    .toMatchObject({
      details: {
        status: "complete",
        output: { charge: { attempt: 2 }, approvedBy: "Noor", params: { sku: "désk" } },
      },
    });
});

test("S0-017 S4-053 polling finds what another process made due", async () => {
  const file = databaseFile();
  const creator = await openEngine(file);
  const platform = createNodePlatform({ pollMs: 20, graceMs: 1000 });
  await openEngine(file, platform);
  const loop = platform.start();
  cleanups.push(() => loop.stop());
  const instance = await creator.workflows.ORDER.create({ id: "o-2" });
  await expect
    .poll(() => creator.listHistory("order", instance.id, {}), { interval: 10, timeout: 60_000 })
    .toMatchObject({ steps: [{}, {}, { name: "approval", status: "waiting" }] });
});

test("stopping waits for the run in hand, which loses no attempt, claims nothing more, and closes the store", async () => {
  const platform = createNodePlatform({ pollMs: 10, graceMs: A_MINUTE_MS });
  const file = databaseFile();
  const engine = await openEngine(file, platform);
  const loop = platform.start();
  const begun = new Promise<void>((resolve) => slowBodies.once("begun", resolve));
  await engine.workflows.SLOW.create({ id: "s-1" });
  await begun;
  const stopping = loop.stop();
  await engine.workflows.SLOW.create({ id: "s-2" });
  slowBodies.emit("go on");
  await stopping;
  await expect(engine.getInstance("slow", "s-1")).rejects.toThrow("the database cannot be reached");
  const another = await openEngine(file);
  expect(await another.listHistory("slow", "s-1", {})).toMatchObject({
    steps: [{ name: "slow", status: "completed", attempts: 1, lostAttempts: 0 }],
  });
  expect(await another.getInstance("slow", "s-2")).toMatchObject({ details: { status: "queued" } });
});

test("a handler works on a server of the host's own, and errors keep their codes", async () => {
  const engine = await openEngine(databaseFile());
  const server = createServer(handler(engine)).listen(0, "127.0.0.1");
  cleanups.push(() => server.close());
  await expect.poll(() => server.listening).toBe(true);
  const { port } = server.address() as AddressInfo;
  const missing = await fetch(`http://127.0.0.1:${port}/api/workflows/workflows/nope/instances`);
  expect(missing.status).toBe(404);
  expect(await missing.json()).toMatchObject({ error: { code: "WORKFLOW_NOT_FOUND" } });
});

test("a port in use, an address of another machine and no port at all are refused with what to do", async () => {
  const engine = await openEngine(databaseFile());
  const first = await serve({ engine, port: 0 });
  cleanups.push(() => first.close());
  const { port } = first;
  await expect(serve({ engine, port })).rejects.toMatchObject({
    code: "LISTEN_FAILED",
    message: expect.stringContaining(`127.0.0.1, port ${port}: another program is using it;`),
    details: { port, hostname: "127.0.0.1", reason: "EADDRINUSE" },
  });
  await expect(serve({ engine, port: 0, hostname: "192.0.2.1" })).rejects.toMatchObject({
    code: "LISTEN_FAILED",
    message: expect.stringContaining("no such address"),
  });
  // The link's own addresses need the name of an interface; without IPv6, the machine has none of them.
  await expect(serve({ engine, port: 0, hostname: "fe80::1" })).rejects.toMatchObject({
    code: "LISTEN_FAILED",
  });
  for (const wrong of ["localhost:3000", 65_536, -1, " ", null, true, []])
    await expect(serve({ engine, port: wrong as number })).rejects.toMatchObject({
      code: "DEPLOY_OPTIONS_INVALID",
      message: expect.stringMatching(/^the option "port" is .*; expected a whole number from 0/),
      details: { option: "port" },
    });
  for (const wrong of [
    { hostname: null },
    { hostname: 127 },
    { readyPath: null },
    { readyPath: 1 },
  ])
    await expect(serve({ engine, port: 0, ...wrong } as never)).rejects.toMatchObject({
      code: "DEPLOY_OPTIONS_INVALID",
      details: { option: Object.keys(wrong)[0] },
    });
  // The engine itself instead of `{ engine }`.
  await expect(serve(engine as never)).rejects.toMatchObject({ details: { option: "engine" } });
  await expect(serve({ engine, prot: 0 } as never)).rejects.toMatchObject({
    code: "UNKNOWN_OPTION",
    message: '"prot" is not an option of serve; did you mean "port"?',
  });
});

test("a probe hears whether the database answers and nothing else, by one trip a second, and of a server that closes", async () => {
  let isAway = false;
  const nextWake = vi.fn<Engine["nextWake"]>(async () => {
    if (isAway) throw new Error("the database is away");
    return null;
  });
  const fetch: Engine["fetch"] = async () => new Response("the engine's", { status: 418 });
  const server = await serve({ engine: { fetch, nextWake }, port: 0, readyPath: "/ready" });
  cleanups.push(() => server.close());
  const probe = async (): Promise<[number, string]> => {
    const answer = await globalThis.fetch(`${server.url}/ready`);
    return [answer.status, await answer.text()];
  };
  const beganAtMs = performance.now();
  const probes = await Promise.all(Array.from({ length: 20 }, probe));
  expect(new Set(probes.map(String))).toEqual(new Set(["200,"]));
  // One, unless a busy machine takes longer than a second for twenty.
  const seconds = Math.floor((performance.now() - beganAtMs) / 1000);
  expect(nextWake.mock.calls.length).toBeLessThanOrEqual(1 + seconds);
  isAway = true;
  await expect.poll(probe, { interval: 50, timeout: 60_000 }).toEqual([503, ""]);
  const posted = await globalThis.fetch(`${server.url}/ready`, { method: "POST" });
  expect(posted.status).toBe(418);
  await expect(
    serve({ engine: { fetch, nextWake }, port: 0, readyPath: "ready" }),
  ).rejects.toMatchObject({ code: "DEPLOY_OPTIONS_INVALID" });
});

test("a probe of a database that does not answer is answered in seconds", async () => {
  const isReady = createReadiness({ nextWake: () => new Promise(() => undefined) });
  vi.useFakeTimers();
  cleanups.push(() => vi.useRealTimers());
  const asked = isReady();
  await vi.advanceTimersByTimeAsync(2000);
  expect(await asked).toBe(false);
});

test("close cuts a client that never finishes its request once the grace is over, and may be called twice", async () => {
  const engine = await openEngine(databaseFile());
  const server = await serve({ engine, port: 0 });
  const socket = connect(server.port, "127.0.0.1");
  await new Promise((resolve) => socket.once("connect", resolve));
  const ended = new Promise((resolve) => socket.once("close", resolve));
  socket.on("error", () => undefined);
  socket.write("POST /api/workflows/workflows/order/instances HTTP/1.1\r\nhost: x\r\n");
  socket.write("content-type: application/json\r\ncontent-length: 100\r\n\r\n{");
  const closing = server.close({ graceMs: 50 });
  await Promise.all([closing, server.close(), ended]);
  await expect(fetch(server.url)).rejects.toThrow("fetch failed");
});

test("a client that keeps its connection open does not hold up the close once it has its answer", async () => {
  const steps = new EventEmitter();
  const began = once(steps, "begun");
  const engine = {
    nextWake: async () => null,
    fetch: async () => {
      steps.emit("begun");
      await once(steps, "answer");
      return new Response("here");
    },
  };
  const server = await serve({ engine, port: 0 });
  const agent = new Agent({ keepAlive: true });
  cleanups.push(() => agent.destroy());
  const asked = get(server.url, { agent });
  const answered = once(asked, "response") as Promise<[IncomingMessage]>;
  await began;
  const startedAt = performance.now();
  const closed = server.close({ graceMs: A_MINUTE_MS });
  steps.emit("answer");
  const [answer] = await answered;
  expect(await text(answer)).toBe("here");
  await closed;
  // Node itself would wait for 5 seconds.
  expect(performance.now() - startedAt).toBeLessThan(3000);
});

test("no signal handler is installed unless asked for, and stopping takes away those that were", async () => {
  const start = async (platform: LoopPlatform): Promise<RunningPlatform> => {
    await openEngine(databaseFile(), platform);
    return platform.start();
  };
  const before = process.listenerCount("SIGTERM");
  const quiet = await start(createNodePlatform());
  expect(process.listenerCount("SIGTERM")).toBe(before);
  const listening = await start(createNodePlatform({ handleSignals: true }));
  expect(process.listenerCount("SIGTERM")).toBe(before + 1);
  await Promise.all([quiet.stop(), listening.stop(), listening.stop(), listening.stopped]);
  expect(process.listenerCount("SIGTERM")).toBe(before);
});
