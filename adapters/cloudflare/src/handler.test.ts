/** The Worker's side. Tests with real objects are in runtime-tests. */
import { IDLE_TICK } from "@escapement/engine/adapter";
import type { TickOutput } from "@escapement/engine";
import { expect, test } from "vitest";
import { handler, type ObjectNamespace } from "./index.ts";

const TICKED: TickOutput = { ...IDLE_TICK, processed: 1, steps: 2 };

interface Calls {
  readonly env: ObjectNamespace;
  readonly calls: string[];
}

/** Objects that record their calls. @param broken names of those that cannot be reached */
function createObjects(ticks: Readonly<Record<string, TickOutput>> = {}, broken = ""): Calls {
  const calls: string[] = [];
  const reach = (name: string, what: string): void => {
    calls.push(`${name}: ${what}`);
    if (name === broken) throw new TypeError("the object was reset");
  };
  const getByName: ObjectNamespace["getByName"] = (name) => ({
    fetch: async ({ method, url }) => {
      reach(name, `${method} ${new URL(url).pathname}`);
      return Response.json(ticks[name] ?? TICKED);
    },
    tick: async () => {
      reach(name, "tick");
      return ticks[name] ?? TICKED;
    },
  });
  return { calls, env: { getByName } };
}

const LOG: string[] = [];
const logger = { log: (_: string, event: string) => void LOG.push(event) };
const objects = (env: ObjectNamespace): ObjectNamespace => env;
const API = "https://refunds.example/api/workflows";
const TICK = `${API}/_runner/tick`;

test("S0-020 one object for each name takes the requests and the cron of its namespace", async () => {
  const { env, calls } = createObjects();
  for (const name of ["refunds", "orders"]) {
    const worker = handler({ objects, name });
    await worker.fetch(new Request(`${API}/workflows`), env);
    await worker.scheduled({}, env);
  }
  expect(calls).toEqual([
    "refunds: GET /api/workflows/workflows",
    "refunds: tick",
    "orders: GET /api/workflows/workflows",
    "orders: tick",
  ]);
});

test("with an object for each workflow a request goes to its workflow's, any other to the first", async () => {
  const { env, calls } = createObjects();
  const worker = handler({ objects, name: "shop", workflowNames: ["order", "refund"] });
  for (const route of ["refund/instances/workflows", "order/instances", "lost/instances"])
    await worker.fetch(new Request(`${API}/workflows/${route}`), env);
  await worker.fetch(new Request(`${API}/workflows`), env);
  const first = calls.map((call) => call.split(":")[0]);
  expect(first).toEqual(["shop/refund", "shop/order", "shop/order", "shop/order"]);
});

test("a tick over HTTP reaches all objects, and is answered for all", async () => {
  const { env } = createObjects({
    "shop/order": { ...TICKED, moreDue: true, nextWakeInMs: 1_000_000, nextWakeAt: 7, quietMs: 0 },
    "shop/refund": { ...TICKED, nextWakeInMs: 900_000, nextWakeAt: 6 },
  });
  const worker = handler({ objects, name: "shop", workflowNames: ["order", "refund"] });
  const answer = await worker.fetch(new Request(TICK, { method: "POST", body: "{}" }), env);
  expect(await answer.json()).toEqual({
    processed: 2,
    steps: 4,
    moreDue: true,
    nextWakeInMs: 900_000,
    nextWakeAt: 6,
    thenWakeAt: null,
    quietMs: 0,
  });
});

test.each([
  ["/workflows/%72efund/instances", "shop/refund"],
  ["/workflows/refund/instances/", "shop/refund"],
  ["/x/../workflows/refund/instances/a/history", "shop/refund"],
  ["/workflows/refund%2Finstances", "shop/order"],
  ["/workflows/order/instances/workflows/refund/instances", "shop/order"],
])("S5-040 a request goes by its decoded path, once: %s to %s", async (path, object) => {
  const { env, calls } = createObjects();
  const worker = handler({ objects, name: "shop", workflowNames: ["order", "refund"] });
  await worker.fetch(new Request(API + path), env);
  expect(calls.map((call) => call.split(":")[0])).toEqual([object]);
});

test("S5-040 a tick that the first object refuses reaches no other, and what only ends like one is none", async () => {
  const asked: string[] = [];
  const env: ObjectNamespace = {
    getByName: (name) => ({
      fetch: async () => {
        asked.push(name);
        return new Response("no", { status: 401 });
      },
      tick: async () => TICKED,
    }),
  };
  const worker = handler({ objects, name: "shop", workflowNames: ["order", "refund", "lost"] });
  for (const url of [TICK, `${TICK}/`, `${API}/_runner/%74ick`])
    expect((await worker.fetch(new Request(url, { method: "POST" }), env)).status).toBe(401);
  await worker.fetch(new Request(`${API}/x/_runner/tick`), env);
  expect(asked).toEqual(["shop/order", "shop/order", "shop/order", "shop/order"]);
});

test("an object that cannot be reached is answered for by code, and logged; the cron fails", async () => {
  const { env, calls } = createObjects({}, "shop/order");
  const workflowNames = ["order", "refund"];
  const worker = handler({ objects, name: "shop", workflowNames, logger });
  for (const request of [new Request(`${API}/workflows`), new Request(TICK)]) {
    const answer = await worker.fetch(request, env);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ error: { code: "STORE_UNAVAILABLE" } });
  }
  expect(LOG).toEqual(["object.failed", "object.failed"]);
  await expect(worker.scheduled({}, env)).rejects.toThrow("the object was reset");
  expect(calls).toContain("shop/refund: tick");
});

test.each([{ name: "" }, { workflowNames: [] }])("refused by code: %j", (wrong) => {
  expect(() => handler({ objects, ...wrong })).toThrow(
    expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID" }),
  );
});
