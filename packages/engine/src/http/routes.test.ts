import { safeParse } from "valibot";
import { describe, expect, it } from "vitest";
import { createFetchHandler } from "./fetch-handler.ts";
import { ROUTE_REFERENCE } from "./route-reference.ts";
import { HTTP_ROUTES, listRoutes } from "./routes.ts";
import type { RouteName } from "./route-types.ts";
import {
  createTestingClient,
  INSTANCES,
  TESTING_SECRET,
  toAnswer,
  type Answer,
  type TestingClient,
} from "./testing-client.ts";
import {
  createTestingService,
  signTestingToken,
  TESTING_FAILURE,
  TESTING_WORKFLOW,
} from "./testing-service.ts";

const bearer = { authorization: `Bearer ${TESTING_SECRET}` };

/** Creates instance `a` first. */
async function createClientWithInstance(): Promise<TestingClient> {
  const client = createTestingClient();
  await client.send("POST", INSTANCES, { id: "a", params: { total: 5 } });
  return client;
}

/** How each route succeeds on a service with the queued instance `a`. */
const SUCCESS: Readonly<Record<RouteName, (client: TestingClient) => Promise<Answer>>> = {
  listWorkflows: ({ send }) => send("GET", "/workflows"),
  listInstances: ({ send }) => send("GET", INSTANCES),
  createInstance: ({ send }) => send("POST", INSTANCES, { id: "b" }),
  createBatch: ({ send }) => send("POST", `${INSTANCES}/batch`, { instances: [{ id: "b" }] }),
  getInstance: ({ send }) => send("GET", `${INSTANCES}/a`),
  deleteInstance: async ({ send }) => {
    await send("POST", `${INSTANCES}/a/terminate`);
    return send("DELETE", `${INSTANCES}/a`);
  },
  describeInstance: ({ send }) => send("GET", `${INSTANCES}/a/describe`),
  explainInstance: ({ send }) => send("GET", `${INSTANCES}/a/explain`),
  pauseInstance: ({ send }) => send("POST", `${INSTANCES}/a/pause`),
  resumeInstance: ({ send }) => send("POST", `${INSTANCES}/a/resume`),
  cancelInstance: ({ send }) => send("POST", `${INSTANCES}/a/cancel`),
  terminateInstance: ({ send }) => send("POST", `${INSTANCES}/a/terminate`),
  restartInstance: ({ send }) => send("POST", `${INSTANCES}/a/restart`),
  retryInstance: async ({ send, service }) => {
    await service.createInstance(TESTING_WORKFLOW, { id: "f", params: TESTING_FAILURE });
    await service.tick();
    return send("POST", `${INSTANCES}/f/retry`);
  },
  restartOrCreateInstance: ({ send }) => send("POST", `${INSTANCES}/a/restart-or-create`, {}),
  rewindInstance: async ({ send, service }) => {
    await service.tick();
    return send("POST", `${INSTANCES}/a/rewind`, { step: "reserve" });
  },
  forkInstance: async ({ send, service }) => {
    await service.tick();
    return send("POST", `${INSTANCES}/a/fork`, { step: "approval", id: "f" });
  },
  updateInstance: ({ send }) => send("POST", `${INSTANCES}/a/update`, { tags: ["vip"] }),
  sendEvent: ({ send }) => send("POST", `${INSTANCES}/a/events`, { type: "approve" }),
  getReply: async ({ send }) => {
    await send("POST", `${INSTANCES}/a/events`, { type: "approve", eventId: "e" });
    return send("GET", `${INSTANCES}/a/events/e/reply`);
  },
  findInstances: ({ send }) => send("GET", "/instances?status=queued,running"),
  countInstances: ({ send }) => send("GET", "/instances/counts"),
  measureActivity: ({ send }) => send("GET", "/activity?bucketMs=60000&buckets=5&workflows=ORDER"),
  listLeases: ({ send }) => send("GET", "/leases?limit=5"),
  listCallbacks: ({ send }) => send("GET", "/open-callbacks?pageSize=5"),
  previewBulk: ({ send }) => send("POST", "/bulk/preview", { act: "retry", workflows: ["ORDER"] }),
  startBulk: ({ send }) => send("POST", "/bulk", { act: "cancel", stuck: true }),
  startBulkDelete: ({ send }) => send("POST", "/bulk/delete", { tag: "old" }),
  listBulks: async ({ send }) => {
    await send("POST", "/bulk", { act: "retry", status: ["errored"] });
    return send("GET", "/bulk?pageSize=1");
  },
  getBulk: async ({ send }) => {
    await send("POST", "/bulk", { act: "retry", status: ["errored"], id: "j" });
    return send("GET", "/bulk/j");
  },
  cancelBulk: async ({ send }) => {
    await send("POST", "/bulk", { act: "retry", status: ["errored"], id: "j" });
    return send("POST", "/bulk/j/cancel");
  },
  emit: ({ send }) => send("POST", "/topics/placed", { payload: 1 }),
  listWaiters: ({ send }) => send("GET", "/topics/placed/waiters"),
  completeCallback: async ({ send }) => send("POST", `/callbacks/${await signTestingToken()}`, [1]),
  listHistory: ({ send }) => send("GET", `${INSTANCES}/a/history`),
  readProgress: ({ send }) => send("GET", `${INSTANCES}/a/stream?after=0&limit=5`),
  tick: ({ send }) => send("POST", "/_runner/tick", {}, bearer),
  tickByGet: ({ send }) => send("GET", "/_runner/tick", undefined, bearer),
};

describe("every route", () => {
  it.each(listRoutes())(
    "S0-137 %s answers 200 under /api/workflows with what its output declares",
    async (name) => {
      const answer = await SUCCESS[name](await createClientWithInstance());
      expect(answer.status).toBe(200);
      expect(safeParse(ROUTE_REFERENCE[name].output, answer.body).issues ?? []).toEqual([]);
      expect(answer.headers.get("content-type")).toBe("application/json");
      expect(answer.headers.get("cache-control")).toBe("no-store");
    },
  );

  it("S0-137 mountRoute moves every route", async () => {
    const handler = createFetchHandler(createTestingService(), {
      open: true,
      mountRoute: "/internal/flows/",
    });
    const at = async (path: string): Promise<number> =>
      (await handler(new Request(`http://host.test${path}`))).status;
    expect(await at("/internal/flows/workflows")).toBe(200);
    expect(await at("/api/workflows/workflows")).toBe(404);
  });

  it("S0-137 mountRoute / puts the routes at the root", async () => {
    const handler = createFetchHandler(createTestingService(), { open: true, mountRoute: "/" });
    expect((await handler(new Request("http://host.test/workflows"))).status).toBe(200);
  });

  it.each(["api", "/:name", "/api/*", "/a//b", "/a?b"])(
    "mountRoute %s is refused",
    (mountRoute) => {
      expect(() => createFetchHandler(createTestingService(), { mountRoute })).toThrow(
        expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID" }),
      );
    },
  );

  it("HEAD says what GET would, without a body", async () => {
    const answer = await createTestingClient().send("HEAD", "/workflows");
    expect(answer).toMatchObject({ status: 200, body: "" });
  });

  it("an extra query parameter is let be", async () => {
    expect((await createTestingClient().send("GET", `${INSTANCES}?token=1`)).status).toBe(200);
  });
});

describe("reading", () => {
  it("S0-138 GET /workflows lists the registered names", async () => {
    const { body } = await createTestingClient().send("GET", "/workflows");
    expect(body).toEqual({ workflows: [{ name: "ORDER" }] });
  });

  it("an instance may be called batch", async () => {
    const client = createTestingClient();
    await client.send("POST", INSTANCES, { id: "batch" });
    expect((await client.send("GET", `${INSTANCES}/batch`)).body).toMatchObject({ id: "batch" });
  });
});

describe("managing", () => {
  it("a lifecycle route does not look at a body", async () => {
    const client = await createClientWithInstance();
    expect((await client.send("POST", `${INSTANCES}/a/pause`, "{not json")).status).toBe(200);
  });
});

describe("ticking", () => {
  it("S0-153 tick passes its limits on and answers what was processed", async () => {
    const deadline = Date.now() + 60_000;
    const tick = { bearerSecret: TESTING_SECRET, deadline: (): number => deadline };
    const client = createTestingClient({ tick });
    const limits = { maxInstances: 2, maxSteps: 3 };
    const posted = await client.send("POST", "/_runner/tick", limits, bearer);
    expect(posted.body).toEqual({
      processed: 0,
      steps: 0,
      moreDue: false,
      nextWakeInMs: null,
      nextWakeAt: null,
      thenWakeAt: null,
      quietMs: null,
    });
    await client.send("GET", "/_runner/tick?maxInstances=4", undefined, bearer);
    await client.send("POST", "/_runner/tick", undefined, bearer);
    expect(client.service.ticks).toEqual([
      { ...limits, deadline },
      { maxInstances: 4, deadline },
      { deadline },
    ]);
  });

  it("HEAD does not tick", async () => {
    const client = createTestingClient();
    const answer = await client.send("HEAD", "/_runner/tick", undefined, bearer);
    expect(answer).toMatchObject({ status: 405 });
    expect(client.service.ticks).toEqual([]);
  });
});

describe("the table", () => {
  it("knows the same routes as its types", () => {
    expect(HTTP_ROUTES.createBatch.path).toBe("/workflows/:workflowName/instances/batch");
    expect(listRoutes().map(([name]) => name)).toEqual(Object.keys(SUCCESS));
  });

  it("an answer of a detached handler is a plain Response", async () => {
    const handler = createFetchHandler(createTestingService());
    const answer = await toAnswer(await handler(new Request("http://host.test/nowhere")));
    expect(answer).toMatchObject({ status: 404, code: "ROUTE_NOT_FOUND" });
  });
});
