import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { afterEach, expect, test } from "vitest";
import { createEngine, createNodePlatform, defineWorkflow } from "./index.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const greet = defineWorkflow({ name: "greet" }, (_event, step) => step.do("greet", () => "hello"));
const createGreeter = () =>
  createEngine({
    workflows: { greet },
    store: createMemoryStore(),
    platform: createNodePlatform({ handleSignals: true, pollMs: 60_000 }),
    http: { open: true },
  });

const signalCount = (): number => process.listenerCount("SIGTERM");
const isReachable = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

test("platform.serve answers requests and runs what they create; its stop closes the server too", async () => {
  const engine = createGreeter();
  const before = signalCount();
  const served = await engine.platform.serve({ port: 0, readyPath: "/ready" });
  cleanups.push(() => served.stop());
  expect(served.url).toBe(`http://127.0.0.1:${served.port}`);
  expect((await fetch(`${served.url}/ready`)).status).toBe(200);

  const api = `${served.url}/api/workflows/workflows/greet/instances`;
  const headers = { "content-type": "application/json" };
  await fetch(api, { method: "POST", headers, body: JSON.stringify({ id: "one" }) });
  const instance = await engine.workflows.greet.get("one");
  expect(await instance.result({ timeout: "10 seconds" })).toBe("hello");

  expect(signalCount()).toBe(before + 1);
  await served.stop();
  await served.stopped;
  expect(signalCount()).toBe(before);
  expect(await isReachable(served.url)).toBe(false);
});

test("platform.serve on a port that is in use fails before anything runs", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  cleanups.push(() => other.close());
  const { port } = other.address() as AddressInfo;
  const before = signalCount();
  await expect(createGreeter().platform.serve({ port })).rejects.toMatchObject({
    code: "LISTEN_FAILED",
  });
  expect(signalCount()).toBe(before);
});

test("platform.serve refuses options that nothing would read, and a platform without an engine", async () => {
  const { platform } = createGreeter();
  await expect(platform.serve({ prot: 3000 } as object)).rejects.toMatchObject({
    code: "UNKNOWN_OPTION",
  });
  await expect(createNodePlatform().serve()).rejects.toMatchObject({ code: "WAKE_FAILED" });
});

test("a platform that serves is not served again, with its address; after its stop, the engine is closed and nothing listens", async () => {
  const { platform } = createGreeter();
  const first = await platform.serve({ port: 0 });
  cleanups.push(() => first.stop());
  const before = signalCount();
  await expect(platform.serve({ port: 0 })).rejects.toMatchObject({
    code: "LISTEN_FAILED",
    message: expect.stringContaining(`the platform serves already, at ${first.url}`),
  });
  expect(signalCount()).toBe(before);
  expect((await fetch(`${first.url}/api/workflows/workflows`)).status).toBe(200);

  await first.stop();
  const port = await freePort();
  await expect(platform.serve({ port })).rejects.toMatchObject({
    code: "STORE_UNAVAILABLE",
    message: expect.stringContaining("the engine is closed"),
  });
  expect(await isReachable(`http://127.0.0.1:${port}`)).toBe(false);
});

test("of two calls of platform.serve at the same time one serves, and the other leaves no server", async () => {
  const { platform } = createGreeter();
  const ports = [await freePort(), await freePort()];
  const both = await Promise.allSettled(ports.map((port) => platform.serve({ port })));
  for (const one of both) if (one.status === "fulfilled") cleanups.push(() => one.value.stop());
  expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  const answering = await Promise.all(ports.map((port) => isReachable(`http://127.0.0.1:${port}`)));
  expect(answering).toEqual(both.map(({ status }) => status === "fulfilled"));
});

test("an engine that has no loop is not served: its server is closed again", async () => {
  const platform = createNodePlatform();
  const { startLoop: _, ...rest } = createGreeter();
  platform.attach(rest);
  const port = await freePort();
  await expect(platform.serve({ port })).rejects.toMatchObject({ code: "WAKE_FAILED" });
  expect(await isReachable(`http://127.0.0.1:${port}`)).toBe(false);
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
