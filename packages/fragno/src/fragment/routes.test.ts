/** The fragment's routes answer like the engine's own handler, with and without hooks for the writes. */
import { safeParse } from "valibot";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { listRoutes, ROUTE_REFERENCE, type RouteName } from "@escapement/engine/internal";
import { createFragnoAdapter } from "../adapter/adapter.ts";
import { defineTopic } from "@escapement/engine";
import { defineWorkflow } from "./authoring.ts";
import { createWorkflowsFragment } from "./create-fragment.ts";
import { defaultFragnoRuntime } from "./runtime.ts";
import { signToken } from "./testing-callbacks.ts";
import { openScene, type Scene } from "./testing-scene.ts";
import { EMBEDDED, SERVERS } from "./testing-step-tx.ts";

const workflows = {
  BINDING_KEY: defineWorkflow(
    {
      name: "my order",
      schema: z.object({ n: z.number() }).optional(),
      events: { paid: z.number(), go: z.unknown() },
    },
    async (_event, step) => {
      await step.waitForEvent("wait", { type: "go" });
      return null;
    },
  ),
} as const;

const SIGNING_KEY = "a-key-of-at-least-32-characters-or-more";
const SECRET = "a-secret-of-at-least-24-characters";
const BEARER = { authorization: `Bearer ${SECRET}` };
const LIST = "/workflows/my%20order/instances";

interface Ask {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const get = (path: string, headers: Ask["headers"] = {}): Ask => ({ method: "GET", path, headers });
const post = (path: string, body?: unknown, headers: Ask["headers"] = {}): Ask => ({
  method: "POST",
  path,
  body,
  headers,
});

/** How each route succeeds; `@` stands for the letter of the side under test, and instances `@0` to `@5` exist. */
const SUCCESS: Readonly<Record<RouteName, Ask>> = {
  listWorkflows: get("/workflows"),
  listInstances: get(`${LIST}?status=complete&pageSize=2`),
  createInstance: post(LIST, { id: "@new", params: { n: 1 } }),
  createBatch: post(`${LIST}/batch`, { instances: [{ id: "@b" }, { id: "@0" }, { id: "@b" }] }),
  findInstances: get("/instances?idPrefix=@&pageSize=3"),
  countInstances: get("/instances/counts?status=queued"),
  measureActivity: get("/activity?buckets=1"),
  listLeases: get("/leases?limit=1"),
  listCallbacks: get("/open-callbacks?pageSize=1"),
  getInstance: get(`${LIST}/@0`),
  deleteInstance: { method: "DELETE", path: `${LIST}/nobody` },
  describeInstance: get(`${LIST}/@0/describe`),
  explainInstance: get(`${LIST}/@0/explain`),
  pauseInstance: post(`${LIST}/@1/pause`),
  resumeInstance: post(`${LIST}/@1/resume`),
  cancelInstance: post(`${LIST}/@1/cancel`),
  terminateInstance: post(`${LIST}/@2/terminate`),
  restartInstance: post(`${LIST}/@2/restart`),
  retryInstance: post(`${LIST}/@3/retry`),
  restartOrCreateInstance: post(`${LIST}/@2/restart-or-create`, { ifStatus: ["queued"] }),
  rewindInstance: post(`${LIST}/@6/rewind`, { step: "wait" }),
  forkInstance: post(`${LIST}/@7/fork`, { step: "wait", id: "@p" }),
  updateInstance: post(`${LIST}/@0/update`, { tags: ["a"], memo: { by: "ada" } }),
  sendEvent: post(`${LIST}/@0/events`, { type: "paid", payload: 1, eventId: "@e" }),
  getReply: get(`${LIST}/@0/events/@e/reply`),
  emit: post("/topics/placed", { payload: 1, id: "@m" }),
  listWaiters: get("/topics/placed/waiters?limit=3"),
  completeCallback: post("/callbacks/{token}", { by: "ada" }),
  previewBulk: post("/bulk/preview", { act: "retry", tag: "none" }),
  startBulk: post("/bulk", { act: "retry", tag: "none", id: "@8" }),
  startBulkDelete: post("/bulk/delete", { tag: "none" }),
  listBulks: get("/bulk?pageSize=1"),
  getBulk: get("/bulk/@8"),
  cancelBulk: post("/bulk/@8/cancel"),
  listHistory: get(`${LIST}/@4/history?pageSize=5`),
  readProgress: get(`${LIST}/@4/stream?after=0&limit=5`),
  tick: post("/_runner/tick", { maxInstances: 1 }, BEARER),
  tickByGet: get("/_runner/tick?maxInstances=1", BEARER),
};

/** Refused calls, with status and code. */
const REFUSED: readonly (readonly [string, number, Ask])[] = [
  ["WORKFLOW_NOT_FOUND", 404, get("/workflows/BINDING_KEY/instances")],
  ["INSTANCE_NOT_FOUND", 404, get(`${LIST}/nobody`)],
  ["INVALID_INSTANCE_ID", 400, post(LIST, { id: "-x" })],
  ["INVALID_PARAMS", 400, post(LIST, { id: "@p", params: { n: "one" } })],
  ["INSTANCE_ID_ALREADY_EXISTS", 409, post(LIST, { id: "@0" })],
  ["BATCH_TOO_LARGE", 400, post(`${LIST}/batch`, { instances: many(101) })],
  ["INVALID_REQUEST", 400, post(`${LIST}/batch`, {})],
  ["INVALID_REQUEST", 400, post(LIST, "{")],
  ["INVALID_REQUEST", 400, post(LIST, "id=x", { "content-type": "text/plain" })],
  ["INVALID_REQUEST", 400, post(LIST, { name: "x" })],
  ["INVALID_REQUEST", 400, get(`${LIST}?pageSize=0`)],
  ["INVALID_CURSOR", 400, get(`${LIST}?cursor=abc`)],
  ["INVALID_CURSOR", 400, get(`${LIST}/@0/history?cursor=abc`)],
  ["PAYLOAD_TOO_LARGE", 413, post(LIST, { params: "x".repeat(3_000_000) })],
  ["INVALID_EVENT_TYPE", 400, post(`${LIST}/@0/events`, { type: "a b" })],
  ["INVALID_EVENT_PAYLOAD", 400, post(`${LIST}/@0/events`, { type: "paid", payload: "x" })],
  ["INSTANCE_TERMINAL", 409, post(`${LIST}/@5/pause`)],
  ["INSTANCE_TERMINAL", 409, post(`${LIST}/@5/terminate`)],
  ["INSTANCE_TERMINAL", 409, post(`${LIST}/@5/events`, { type: "go" })],
  ["INSTANCE_NOT_ENDED", 409, { method: "DELETE", path: `${LIST}/@0` }],
  ["INSTANCE_NOT_FOUND", 404, post(`${LIST}/nobody/restart`)],
  ["INSTANCE_NOT_ERRORED", 409, post(`${LIST}/@0/retry`)],
  ["STEP_NOT_FOUND", 404, post(`${LIST}/@0/rewind`, { step: "other" })],
  ["STATUS_MISMATCH", 409, post(`${LIST}/@0/fork`, { step: "wait", ifStatus: ["complete"] })],
  ["CALLBACK_INVALID", 404, post("/callbacks/forged", {})],
  ["CALLBACK_LATE", 410, post(`/callbacks/${await signToken(SIGNING_KEY, "nobody")}`, {})],
  ["UNAUTHORIZED", 401, get("/workflows", { "x-user": "stranger" })],
  ["FORBIDDEN", 403, post(LIST, { id: "@f" }, { "x-user": "reader" })],
  ["TICK_UNAUTHORIZED", 401, post("/_runner/tick", {})],
];

function many(count: number): readonly { readonly id: string }[] {
  return Array.from({ length: count }, (_, n) => ({ id: `n${n}` }));
}

const KINDS = SERVERS.flatMap((server) =>
  [false, true].map((withHooks) => ({
    server,
    withHooks,
    name: `${server.name} ${withHooks ? "with" : "without"} hooks`,
  })),
);

describe.each(KINDS)("routes on $name", ({ server, withHooks }) => {
  let scene: Scene<typeof workflows>;
  beforeAll(async () => {
    const refuse = (): never => {
      throw new RangeError("no");
    };
    scene = await openScene(server, {
      workflows,
      topics: [defineTopic({ name: "placed" })],
      bulk: true,
      callbacks: { signingKeys: [SIGNING_KEY], url: "http://app/api/workflows" },
      http: {
        tick: { bearerSecret: SECRET },
        authorizeRequest: ({ request }) =>
          void (request.headers.get("x-user") === "stranger" && refuse()),
        policies: {
          create: ({ request }) => void (request.headers.get("x-user") === "reader" && refuse()),
        },
      },
      ...(withHooks ? { onWorkflowEnqueued: () => undefined } : {}),
    });
    for (const side of ["f", "e"]) {
      for (const n of [0, 1, 2, 3, 4, 5]) {
        await scene.fragment.engine.createInstance("my order", { id: `${side}${n}` });
      }
      await scene.fragment.engine.control("my order", `${side}5`, "terminate");
    }
    for (const id of ["f6", "f7", "e6", "e7"]) {
      await scene.fragment.engine.createInstance("my order", { id });
      await scene.query(
        `insert into "workflow_step_workflows" ("id", "workflowName", "instanceId", "runNumber", "stepKey", "name", "type", "status", ` +
          `"attempts", "lostAttempts", "maxAttempts", "settledOrder", "createdAt", "updatedAt") ` +
          `select 'step-${id}', "workflowName", "instanceId", 1, 'wait', 'wait', 'waitForEvent', 'completed', 1, 0, 1, 1, "createdAt", "createdAt" ` +
          `from "workflow_instance_workflows" where "instanceId" = '${id}'`,
      );
    }
    await scene.query(
      `update "workflow_instance_workflows" set "status" = 'errored', "errorName" = 'E' where "instanceId" in ('f3', 'e3')`,
    );
    for (const side of ["f", "e"])
      await scene.fragment.engine.sendEvent("my order", `${side}4`, { type: "go", payload: [1] });
  });
  afterAll(() => scene.close());

  const send = async (side: "f" | "e", { method, path, body, headers }: Ask) => {
    const token = await signToken(SIGNING_KEY, `${side}0`);
    const toSide = (text: string): string => text.replaceAll("@", side).replace("{token}", token);
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const request = new Request(`http://app/api/workflows${toSide(path)}`, {
      method,
      headers: {
        ...(text === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(text === undefined ? {} : { body: toSide(text) }),
    });
    const { handler, engine } = scene.fragment;
    const response = await (side === "f" ? handler(request) : engine.fetch(request));
    const answer = await response.text();
    const plain = answer
      .replaceAll(new RegExp(`"${side}(\\d|new|b|p)"`, "gu"), '"@$1"')
      .replaceAll(new RegExp(`\\\\"${side}(\\d)\\\\"`, "gu"), '\\"@$1\\"')
      .replaceAll(new RegExp(`history my order ${side}`, "gu"), "history my order @")
      .replaceAll(/"(id|cursor)":"[^"@]{20,}"/gu, '"$1":"…"')
      .replaceAll(/"(createdAt|startedAt|updatedAt|deliveredAt|now)":\d+/gu, '"$1":0');
    return {
      status: response.status,
      type: response.headers.get("content-type"),
      cache: response.headers.get("cache-control"),
      body: JSON.parse(plain) as Record<string, unknown>,
    };
  };

  test.each(listRoutes())(
    "S0-058 S0-064 S0-066 S0-137 S0-138 %s answers as the engine's handler",
    async (name, route) => {
      const byFragment = await send("f", SUCCESS[name]);
      const byEngine = await send("e", SUCCESS[name]);
      expect(byFragment.status).toBe(200);
      expect(safeParse(ROUTE_REFERENCE[name].output, byFragment.body).issues ?? []).toEqual([]);
      // The two ticks do different work: each advances what is due by then.
      if (route.policy !== "tick") expect(byFragment).toEqual(byEngine);
    },
  );

  test.each(REFUSED)("S2-018 %s is %i", async (code, status, ask) => {
    const byFragment = await send("f", ask);
    expect(byFragment).toMatchObject({ status, body: { code, error: { code } } });
    expect(byFragment).toEqual(await send("e", ask));
  });

  test("a write is one trip without hooks, and so is a create with them", async () => {
    const [trips] = await scene.countTrips(() => send("f", post(LIST, { id: "@t" })));
    expect(trips).toBe(1);
  });

  test("callRoute goes the same way", async () => {
    const answer = await scene.fragment.callRoute("POST", "/workflows/:workflowName/instances", {
      pathParams: { workflowName: "my order" },
      body: { id: "called" },
    });
    expect(answer).toMatchObject({
      type: "json",
      status: 200,
      data: { id: "called", details: { status: "queued" } },
    });
  });
});

describe("mounting and failing", () => {
  test("S0-137 mountRoute moves every route; the database's absence is a 503", async () => {
    const scene = await openScene(EMBEDDED, { workflows });
    const fragment = createWorkflowsFragment(
      {
        workflows,
        runtime: defaultFragnoRuntime,
        http: { open: true },
        onWorkflowEnqueued: () => undefined,
      },
      {
        databaseAdapter: createFragnoAdapter({ database: scene.database }),
        mountRoute: "/internal/flows",
      },
    );
    const request = (method: string, path: string): Promise<Response> =>
      fragment.handler(new Request(`http://app${path}`, { method }));
    expect((await request("GET", "/internal/flows/workflows")).status).toBe(200);
    expect((await request("GET", "/api/workflows/workflows")).status).toBe(404);
    await scene.database.close();
    const list = `/internal/flows${LIST}`;
    for (const [method, path] of [
      ["GET", `${list}/a`],
      ["POST", list],
      ["POST", `${list}/a/pause`],
    ] as const) {
      const response = await request(method, path);
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ code: "STORE_UNAVAILABLE" });
    }
  });
});
