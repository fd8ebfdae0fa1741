/** The adapter beyond the contract, which is in `runtime-tests/src/vercel`. */
import { createEngine, defineWorkflow, type Logger } from "@escapement/engine";
import { createTickSigner } from "@escapement/engine/http";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createVercelPlatform, handler, vercelQueue, wakeHandler } from "./index.ts";
import type { VercelPlatformOptions } from "./platform.ts";
import type { HandlerOptions } from "./handler.ts";

const CONTEXT = Symbol.for("@vercel/request-context");
const SECRET = "cron-secret-of-more-than-24-bytes";
const TICK = "https://orders.example.com/api/workflows/_runner/tick";
const HELLO = defineWorkflow({ name: "hello" }, async (_event, step) => step.do("say", () => "hi"));
const HINT = { workflowName: null, instanceId: null, reason: "create" } as const;

const log = vi.fn<Logger["log"]>();
const fetched = vi.fn<(url: string, init: RequestInit) => Promise<Response>>();
beforeEach(() => {
  log.mockReset();
  fetched.mockReset().mockImplementation(async () => new Response("{}", { status: 201 }));
  vi.stubGlobal("fetch", fetched);
});
afterEach(() => {
  vi.unstubAllGlobals();
  delete (globalThis as { [CONTEXT]?: unknown })[CONTEXT];
});

/** From now on the test is in an invocation. */
function invoke(context: object): void {
  Object.assign(globalThis, { [CONTEXT]: { get: () => context } });
}

function open(
  options: VercelPlatformOptions = {},
  tick: HandlerOptions["tick"] = { bearerSecret: SECRET },
) {
  const logger = { log };
  const platform = createVercelPlatform({ logger, ...options });
  const store = createMemoryStore();
  const engine = createEngine({
    workflows: { HELLO },
    store,
    platform,
    logger,
    http: { open: true },
  });
  const take = handler(engine, { platform, tick });
  const takeWake = wakeHandler(engine, { platform });
  return { platform, engine, take, takeWake };
}

const tickRequest = (authorization: string): Request =>
  new Request(TICK, { headers: { authorization, "user-agent": "vercel-cron/1.0" } });

const toDelivery = (body: string, region = "fra1"): Request =>
  new Request("https://internal/api/wake", {
    method: "POST",
    headers: {
      "ce-type": "com.vercel.queue.v2beta",
      "ce-vqsconsumergroup": "api_Swake_Dts",
      "ce-vqsreceipthandle": "a/b",
      "ce-vqsregion": region,
    },
    body,
  });

test("outside an invocation what a request makes due is done before its answer, and not dropped", async () => {
  const { engine, take } = open();
  const body = JSON.stringify({ id: "h" });
  const headers = { "content-type": "application/json" };
  const url = "https://orders.example.com/api/workflows/workflows/hello/instances";
  await take(new Request(url, { method: "POST", headers, body }));
  expect(await engine.getInstance("hello", "h")).toMatchObject({ details: { status: "complete" } });
});

test("inside one it is done after the answer, and waitUntil holds the invocation until it is", async () => {
  const works: Promise<unknown>[] = [];
  invoke({
    waitUntil: (work: Promise<unknown>) => void works.push(work),
    deadline: Date.now() + 60_000,
  });
  const { engine, platform } = open();
  await engine.workflows.HELLO.create({ id: "h" });
  expect(await engine.getInstance("hello", "h")).toMatchObject({ details: { status: "queued" } });
  await platform.settled();
  for (const work of works) await work;
  expect(await engine.getInstance("hello", "h")).toMatchObject({ details: { status: "complete" } });
});

test.each([
  ["milliseconds", 1_800_000_000_000],
  ["text", new Date(1_800_000_000_000).toISOString()],
  ["a Date", new Date(1_800_000_000_000)],
])(
  "the invocation's deadline is read as %s, and without one maxDurationMs counts",
  (_name, deadline) => {
    const { platform } = open({ maxDurationMs: 25_000, now: () => 1000 });
    expect(platform.deadline()).toBe(26_000);
    invoke({ deadline });
    expect(platform.deadline()).toBe(1_800_000_000_000);
    invoke({ deadline: "soon" });
    expect(platform.deadline()).toBe(26_000);
  },
);

test("S0-153 the cron ticks with its secret; without one the route is closed, and so it is to Bearer undefined", async () => {
  const { take } = open();
  const answers = [
    await take(tickRequest(`Bearer ${SECRET}`)),
    await take(tickRequest("Bearer undefined")),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 401]);
  expect(answers[0]?.headers.get("cache-control")).toBe("no-store");
  const unset = open({}, { bearerSecret: undefined, signingKeys: undefined });
  const closed = await unset.take(tickRequest("Bearer undefined"));
  expect([closed.status, await closed.json()]).toMatchObject([404, { code: "TICK_DISABLED" }]);
  expect(() => open({}, { bearerSecret: "" })).toThrow(
    expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID" }),
  );
});

test("without a queue the ticks can be told to stay for what comes due, so that a minute cron is exact", async () => {
  const platform = createVercelPlatform({
    now: () => 0,
    maxDurationMs: 300_000,
    lingerMs: 120_000,
    maxInstances: 7,
    logger: { log },
  });
  const engine = createEngine({ workflows: { HELLO }, store: createMemoryStore(), platform });
  const tick = vi.spyOn(engine, "tick");
  const take = handler(engine, { platform, tick: { bearerSecret: SECRET } });
  await take(tickRequest(`Bearer ${SECRET}`));
  await engine.workflows.HELLO.create({ id: "h" });
  await platform.settled();
  const bounds = { lingerMs: 120_000, maxInstances: 7, deadline: 300_000 };
  expect(tick.mock.calls).toMatchObject([[bounds], [bounds]]);
});

test.each(["_runner/%74ick", "%5Frunner/tick", "_runner/tick/", "./_runner/x/../tick"])(
  "a preview does not tick by another spelling of the route: %s",
  async (path) => {
    const { take, engine } = open({ environment: "preview" });
    const tick = vi.spyOn(engine, "tick");
    const url = `https://orders.example.com/api/workflows/${path}`;
    const answer = await take(new Request(url, { headers: { authorization: `Bearer ${SECRET}` } }));
    const error = { code: "TICK_DISABLED", details: { environment: "preview" } };
    expect([answer.status, await answer.json()]).toMatchObject([404, { error }]);
    expect(tick).not.toHaveBeenCalled();
  },
);

test("a preview neither ticks nor wakes, unless it is told to", async () => {
  const send = vi.fn<(...given: unknown[]) => Promise<void>>(async () => undefined);
  const lease = { acknowledge: async () => undefined, extend: async () => true };
  const queue = { maxDelaySeconds: 1, send, ...lease };
  const preview = open({ environment: "preview", queue });
  const tick = vi.spyOn(preview.engine, "tick");
  const answer = await preview.take(tickRequest(`Bearer ${SECRET}`));
  expect([answer.status, await answer.json()]).toMatchObject([
    404,
    { error: { code: "TICK_DISABLED", details: { environment: "preview" } } },
  ]);
  await preview.engine.workflows.HELLO.create({ id: "h" });
  await preview.platform.wakeIn(0, HINT);
  await preview.platform.settled();
  expect((await preview.takeWake(toDelivery('{"kind":"tick"}'))).status).toBe(204);
  expect([tick.mock.calls, send.mock.calls]).toEqual([[], []]);
  for (const options of [
    { environment: "preview", environments: ["preview"] },
    { environment: undefined },
  ])
    expect((await open(options).take(tickRequest(`Bearer ${SECRET}`))).status).toBe(200);
});

test("a call that asks not to be waited for is answered 202 before its work is done, and only with a key", async () => {
  const works: Promise<unknown>[] = [];
  invoke({
    waitUntil: (work: Promise<unknown>) => void works.push(work),
    deadline: Date.now() + 60_000,
  });
  const { engine, take } = open({}, { signingKeys: [SECRET] });
  const tick = vi.spyOn(engine, "tick");
  const audience = new URL(TICK).pathname;
  const signed = await createTickSigner({ signingKeys: [SECRET], audience })("POST");
  const prefer = "respond-async";
  const call = (headers: object): Promise<Response> =>
    take(new Request(TICK, { method: "POST", headers: { ...headers, prefer } }));
  expect((await call(signed)).status).toBe(202);
  expect(tick).not.toHaveBeenCalled();
  for (const work of works) await work;
  expect(tick).toHaveBeenCalledOnce();
  const refused = await call({});
  expect([refused.status, await refused.json()]).toMatchObject([
    401,
    { code: "TICK_UNAUTHORIZED" },
  ]);
});

test("a self-call carries the secret that lets it pass Deployment Protection", async () => {
  invoke({ waitUntil: () => undefined, deadline: Date.now() + 1000 });
  const headers = { "x-vercel-protection-bypass": "let-me-in" };
  const selfCall = { url: TICK, signingKeys: [SECRET], headers };
  await open({ selfCall }).platform.wakeNow(HINT);
  const sent = new Headers(fetched.mock.calls[0]?.[1].headers);
  expect([sent.get("x-vercel-protection-bypass"), sent.get("prefer")]).toEqual([
    "let-me-in",
    "respond-async",
  ]);
});

test("with no time left and nobody to hand over to, the wake fails by code and the cron goes on", async () => {
  invoke({ waitUntil: () => undefined, deadline: Date.now() + 1000 });
  const { platform } = open();
  await expect(platform.wakeNow(HINT)).rejects.toMatchObject({ code: "WAKE_FAILED" });
  await platform.wakeIn(60_000, HINT);
  expect(fetched).not.toHaveBeenCalled();
});

test("the queue is told delay, time to keep and key, with the token of the request and no deployment", async () => {
  invoke({ headers: { "x-vercel-oidc-token": "oidc" } });
  await vercelQueue({ topic: "orders", region: "fra1" }).send("{}", 60, "wake-1");
  const [url, { headers, ...init }] = fetched.mock.calls[0] ?? ["", {}];
  expect([url, init]).toMatchObject([
    "https://fra1.vercel-queue.com/api/v3/topic/orders",
    { method: "POST", body: "{}", redirect: "manual" },
  ]);
  expect(headers).toEqual({
    authorization: "Bearer oidc",
    "content-type": "application/json",
    "vqs-delay-seconds": "60",
    "vqs-retention-seconds": "3660",
    "vqs-idempotency-key": "wake-1",
  });
});

test("a delivery is acknowledged where it came from once its tick is done; a region that is none is not called", async () => {
  const { takeWake } = open({ queue: vercelQueue({ token: "t" }) });
  for (const region of ["lhr1", "evil.example.com/"])
    expect(
      (await takeWake(toDelivery('{"kind":"tick","hopCount":0,"at":null}', region))).status,
    ).toBe(204);
  const path = "api/v3/topic/escapement/consumer/api_Swake_Dts/lease/a%2Fb";
  expect(fetched.mock.calls.map(([url, { method }]) => [method, url])).toEqual([
    ["DELETE", `https://lhr1.vercel-queue.com/${path}`],
    ["DELETE", `https://iad1.vercel-queue.com/${path}`],
  ]);
});

test("a delivery whose tick fails is not acknowledged, and the log says why", async () => {
  const { engine, takeWake } = open({ queue: vercelQueue({ token: "t" }) });
  vi.spyOn(engine, "tick").mockRejectedValue(new TypeError("no database"));
  expect((await takeWake(toDelivery('{"kind":"tick"}'))).status).toBe(500);
  expect(fetched).not.toHaveBeenCalled();
  expect(log.mock.calls).toEqual([
    ["error", "wake.failed", { code: null, error: "TypeError: no database" }],
  ]);
});

test("a lease that another delivery has is left to it; any other refusal has the message delivered again", async () => {
  const { takeWake } = open({ queue: vercelQueue({ token: "t" }) });
  const statuses: number[] = [];
  for (const status of [404, 409, 500]) {
    fetched.mockResolvedValueOnce(new Response(null, { status }));
    statuses.push((await takeWake(toDelivery('{"kind":"tick"}'))).status);
  }
  expect(statuses).toEqual([204, 204, 500]);
});

test("a message that is no wake is logged, taken off the queue, and ticks nothing", async () => {
  const { engine, takeWake } = open({ queue: vercelQueue({ token: "t" }) });
  const tick = vi.spyOn(engine, "tick");
  await takeWake(toDelivery("?"));
  expect([tick.mock.calls.length, fetched.mock.calls.length]).toEqual([0, 1]);
  const fields = { code: "INVALID_REQUEST" };
  expect(log.mock.calls).toEqual([["error", "wake.unreadable", fields]]);
});

test("a queue that cannot be reached, or refuses, is WAKE_FAILED", async () => {
  const queue = vercelQueue({ token: "t" });
  fetched.mockRejectedValueOnce(new TypeError("no route"));
  await expect(queue.send("{}", 0, null)).rejects.toMatchObject({ code: "WAKE_FAILED" });
  fetched.mockResolvedValueOnce(new Response(null, { status: 302 }));
  await expect(queue.send("{}", 0, null)).rejects.toMatchObject({ code: "WAKE_FAILED" });
});

test("options that cannot work are refused by code", () => {
  const refused = expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID" }) as Error;
  expect(() => createVercelPlatform({ maxDurationMs: 999 })).toThrow(refused);
  expect(() =>
    createVercelPlatform({ selfCall: { url: "http://example.com/", signingKeys: [SECRET] } }),
  ).toThrow(refused);
  expect(() => vercelQueue({ topic: "a b" })).toThrow(refused);
  expect(() => vercelQueue({ region: "example.com" })).toThrow(refused);
});
