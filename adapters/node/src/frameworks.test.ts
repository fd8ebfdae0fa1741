/** The handler in typical programs: whatever they did with the request before, nothing is lost. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { createEngine, defineWorkflow, type Engine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import express, { type Express } from "express";
import fastify from "fastify";
import { createApp, eventHandler, toNodeListener, toWebRequest } from "h3";
import { Hono } from "hono";
import { afterEach, expect, test } from "vitest";
import { handler } from "./index.ts";

const ECHO = defineWorkflow({ name: "echo" }, async (event: { payload: unknown }, step) => {
  const { payload } = await step.waitForEvent("go", { type: "go" });
  return [event.payload, payload];
});

const SECRET = "a-secret-of-more-than-24-bytes";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

function openEngine(mountRoute = "/api/workflows"): Engine<{ ECHO: typeof ECHO }> {
  return createEngine({
    workflows: { ECHO },
    store: createMemoryStore(),
    http: { mountRoute, authorizeRequest: () => undefined, tick: { bearerSecret: SECRET } },
  });
}

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const post = (url: string, body: string, contentType = "application/json"): Promise<Response> =>
  fetch(url, { method: "POST", body, headers: { "content-type": contentType } });

/** Creates, sends an event and ticks over HTTP; checks that what is stored is what was sent. */
async function createAndRead(
  engine: ReturnType<typeof openEngine>,
  base: string,
): Promise<unknown> {
  const params = { text: "ünï", list: [1, null, { deep: true }] };
  const body = JSON.stringify({ id: "mine", params });
  const response = await post(`${base}/workflows/echo/instances`, body);
  expect(await response.json()).toMatchObject({ id: "mine" });
  await engine.tick();
  const go = JSON.stringify({ type: "go", payload: params.list });
  expect((await post(`${base}/workflows/echo/instances/mine/events`, go)).status).toBe(200);
  const tick = { method: "POST", headers: { authorization: `Bearer ${SECRET}` } };
  expect((await fetch(`${base}/_runner/tick`, tick)).status).toBe(200);
  const status = await (await engine.workflows.ECHO.get("mine")).status();
  expect(status).toMatchObject({ status: "complete", output: [params, params.list] });
  return fetch(`${base}/workflows/echo/instances/mine`).then((read) => read.status);
}

const parsers: readonly [string, (app: Express) => unknown][] = [
  ["no parser", () => undefined],
  ["express.json()", (app) => app.use(express.json())],
  ["express.json() that takes any value", (app) => app.use(express.json({ strict: false }))],
  ["express.text()", (app) => app.use(express.text({ type: "*/*" }))],
  ["express.raw()", (app) => app.use(express.raw({ type: "*/*" }))],
  ["express.urlencoded()", (app) => app.use(express.urlencoded(), express.json())],
];

test.each(parsers)(
  "S5-049 Express with %s: a create keeps its id and params",
  async (_name, parse) => {
    const engine = openEngine();
    const app = express();
    parse(app);
    app.use("/api/workflows", handler(engine));
    expect(await createAndRead(engine, `${await listen(app)}/api/workflows`)).toBe(200);
  },
);

test("S5-049 Express under a prefix: `mountRoute` is the whole path, however the application writes it", async () => {
  const engine = openEngine("/internal/jobs");
  const router = express.Router();
  router.use("/jobs", handler(engine));
  const app = express();
  app.use(express.json());
  app.use("/internal", router);
  expect(await createAndRead(engine, `${await listen(app)}/internal/jobs`)).toBe(200);
});

test("a body that was read and not kept is refused aloud, and creates nothing", async () => {
  const engine = openEngine();
  const base = await listen((request, response) => {
    request.resume();
    request.on("end", () => handler(engine)(request, response));
  });
  const create = `${base}/api/workflows/workflows/echo/instances`;
  const refused = await post(create, JSON.stringify({ id: "mine" }));
  expect(refused.status).toBe(500);
  expect(await refused.json()).toMatchObject({ code: "INVARIANT_BROKEN" });
  expect((await fetch(`${create}/mine`)).status).toBe(404);
});

test("a form that a parser has read is refused as it is without one", async () => {
  const engine = openEngine();
  const app = express();
  app.use(express.urlencoded());
  app.use(handler(engine));
  const create = `${await listen(app)}/api/workflows/workflows/echo/instances`;
  const refused = await post(create, "id=mine", "application/x-www-form-urlencoded");
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ code: "INVALID_REQUEST" });
});

test("Express passes on a tick and a request without a body", async () => {
  const engine = openEngine();
  const app = express();
  app.use(express.json(), handler(engine));
  const base = `${await listen(app)}/api/workflows`;
  const created = await fetch(`${base}/workflows/echo/instances`, { method: "POST" });
  expect(created.ok).toBe(true);
  const headers = { authorization: `Bearer ${SECRET}`, "content-type": "application/json" };
  const tick = await fetch(`${base}/_runner/tick`, { method: "POST", headers, body: "{}" });
  expect(tick.status).toBe(200);
});

test("a packed body counts where a parser has unpacked it, and is refused as such where nobody has", async () => {
  const packed = {
    method: "POST",
    body: gzipSync(JSON.stringify({ id: "mine" })),
    headers: { "content-type": "application/json", "content-encoding": "gzip" },
  };
  const create = "/api/workflows/workflows/echo/instances";
  const unpacking = express();
  unpacking.use(express.json(), handler(openEngine()));
  expect((await fetch(`${await listen(unpacking)}${create}`, packed)).status).toBe(200);
  const plain = express();
  plain.use(handler(openEngine()));
  const refused = await fetch(`${await listen(plain)}${create}`, packed);
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({
    code: "INVALID_REQUEST",
    error: { details: { issues: [{ path: "header.content-encoding", received: "gzip" }] } },
  });
});

test("S5-049 Fastify: a route takes the parsed body along", async () => {
  const engine = openEngine();
  const listener = handler(engine);
  const app = fastify();
  app.all("/api/workflows/*", (request, reply) => {
    reply.hijack();
    listener(Object.assign(request.raw, { body: request.body }), reply.raw);
  });
  cleanups.push(() => app.close());
  const base = await app.listen({ port: 0, host: "127.0.0.1" });
  expect(await createAndRead(engine, `${base}/api/workflows`)).toBe(200);
});

test("S5-049 Fastify: a body that stayed in its own request is refused aloud", async () => {
  const listener = handler(openEngine());
  const app = fastify();
  app.all("/api/workflows/*", (request, reply) => {
    reply.hijack();
    listener(request.raw, reply.raw);
  });
  cleanups.push(() => app.close());
  const base = await app.listen({ port: 0, host: "127.0.0.1" });
  const refused = await post(`${base}/api/workflows/workflows/echo/instances`, `{"id":"mine"}`);
  expect(await refused.json()).toMatchObject({ code: "INVARIANT_BROKEN" });
});

test("S5-049 Hono: the engine answers its requests as they are", async () => {
  const engine = openEngine();
  const app = new Hono();
  app.all("/api/workflows/*", (context) => engine.fetch(context.req.raw));
  const { getRequestListener } = await import("@hono/node-server");
  const base = await listen((request, response) => {
    void getRequestListener(app.fetch)(request, response);
  });
  expect(await createAndRead(engine, `${base}/api/workflows`)).toBe(200);
});

test("S5-049 h3, the server of Nuxt: the engine answers its requests as web requests", async () => {
  const engine = openEngine();
  const app = createApp().use(eventHandler((event) => engine.fetch(toWebRequest(event))));
  const base = await listen(toNodeListener(app));
  expect(await createAndRead(engine, `${base}/api/workflows`)).toBe(200);
});
