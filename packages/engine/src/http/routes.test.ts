import { safeParse } from "valibot";
import { describe, expect, it } from "vitest";
import { createFetchHandler } from "./fetch-handler.ts";
import { HTTP_ROUTES, listRoutes, type RouteName } from "./routes.ts";
import {
  createTestingClient,
  INSTANCES,
  TESTING_SECRET,
  toAnswer,
  type Answer,
  type TestingClient,
} from "./testing-client.ts";
import { TestingService } from "./testing-service.ts";

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
  pauseInstance: ({ send }) => send("POST", `${INSTANCES}/a/pause`),
  resumeInstance: ({ send }) => send("POST", `${INSTANCES}/a/resume`),
  terminateInstance: ({ send }) => send("POST", `${INSTANCES}/a/terminate`),
  restartInstance: ({ send }) => send("POST", `${INSTANCES}/a/restart`),
  sendEvent: ({ send }) => send("POST", `${INSTANCES}/a/events`, { type: "approve" }),
  listHistory: ({ send }) => send("GET", `${INSTANCES}/a/history`),
  tick: ({ send }) => send("POST", "/_runner/tick", {}, bearer),
  tickByGet: ({ send }) => send("GET", "/_runner/tick", undefined, bearer),
};

describe("every route", () => {
  it.each(listRoutes())(
    "S0-137 %s answers 200 under /api/workflows with what its output declares",
    async (name, route) => {
      const answer = await SUCCESS[name](await createClientWithInstance());
      expect(answer.status).toBe(200);
      expect(safeParse(route.output, answer.body).issues ?? []).toEqual([]);
      expect(answer.headers.get("content-type")).toBe("application/json");
      expect(answer.headers.get("cache-control")).toBe("no-store");
    },
  );

  it("S0-137 mountRoute moves every route", async () => {
    const handler = createFetchHandler(new TestingService(), { mountRoute: "/internal/flows/" });
    const at = async (path: string): Promise<number> =>
      (await handler(new Request(`http://host.test${path}`))).status;
    expect(await at("/internal/flows/workflows")).toBe(200);
    expect(await at("/api/workflows/workflows")).toBe(404);
  });

  it("S0-137 mountRoute / puts the routes at the root", async () => {
    const handler = createFetchHandler(new TestingService(), { mountRoute: "/" });
    expect((await handler(new Request("http://host.test/workflows"))).status).toBe(200);
  });

  it.each(["api", "/:name", "/api/*", "/a//b", "/a?b"])(
    "mountRoute %s is refused",
    (mountRoute) => {
      expect(() => createFetchHandler(new TestingService(), { mountRoute })).toThrow(
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

  it("S0-139 instances come by pages, with a cursor while there are more, filtered by status", async () => {
    const client = createTestingClient();
    const instances = ["a", "b", "c"].map((id) => ({ id }));
    await client.send("POST", `${INSTANCES}/batch`, { instances });
    const details = { status: "queued", runNumber: 1 };
    const first = await client.send("GET", `${INSTANCES}?pageSize=2`);
    expect(first.body).toEqual({
      instances: [
        { id: "a", details },
        { id: "b", details },
      ],
      cursor: "at2",
      hasNextPage: true,
    });
    const second = await client.send("GET", `${INSTANCES}?pageSize=2&cursor=at2`);
    expect(second.body).toEqual({ instances: [{ id: "c", details }], hasNextPage: false });
    client.service.setStatus("b", "paused");
    const paused = await client.send("GET", `${INSTANCES}?status=paused`);
    expect(paused.body).toMatchObject({ instances: [{ id: "b" }] });
  });

  it("S0-144 GET of an instance answers its id and details", async () => {
    const client = await createClientWithInstance();
    client.service.setStatus("a", "complete");
    expect((await client.send("GET", `${INSTANCES}/a`)).body).toEqual({
      id: "a",
      details: { status: "complete", runNumber: 1, output: { total: 5 } },
    });
  });

  it("an instance may be called batch", async () => {
    const client = createTestingClient();
    await client.send("POST", INSTANCES, { id: "batch" });
    expect((await client.send("GET", `${INSTANCES}/batch`)).body).toMatchObject({ id: "batch" });
  });

  it("S0-152 history takes runNumber, pageSize and cursor, and shows full results and events", async () => {
    const client = await createClientWithInstance();
    for (const type of ["one", "two"]) {
      await client.send("POST", `${INSTANCES}/a/events`, { type, payload: { type } });
    }
    const path = `${INSTANCES}/a/history?runNumber=7&pageSize=1`;
    const first = await client.send("GET", path);
    expect(first.body).toMatchObject({
      runNumber: 7,
      steps: [{ name: "reserve", result: { reserved: true } }],
      events: [{ type: "one", payload: { type: "one" } }],
      cursor: "at1",
      hasNextPage: true,
    });
    const second = await client.send("GET", `${path}&cursor=at1`);
    expect(second.body).toMatchObject({ events: [{ type: "two" }], hasNextPage: false });
  });
});

describe("creating", () => {
  it("S0-140 create answers 200 with the id and details, also without a body", async () => {
    const client = createTestingClient();
    const details = { status: "queued", runNumber: 1 };
    const named = await client.send("POST", INSTANCES, { id: "a", params: [1] });
    expect(named).toMatchObject({ status: 200, body: { id: "a", details } });
    const unnamed = await client.send("POST", INSTANCES);
    expect(unnamed).toMatchObject({ status: 200, body: { id: "generated-1", details } });
  });

  it("S0-141 create with an existing id is refused unless it asks for the existing one", async () => {
    const client = await createClientWithInstance();
    const refused = await client.send("POST", INSTANCES, { id: "a" });
    expect(refused).toMatchObject({ status: 409, code: "INSTANCE_ID_ALREADY_EXISTS" });
    const existing = await client.send("POST", INSTANCES, { id: "a", onExisting: "return" });
    expect(existing).toMatchObject({ status: 200, body: { id: "a" } });
  });

  it("S0-143 batch create leaves existing ids out of instances and names them in skipped", async () => {
    const client = await createClientWithInstance();
    const instances = [{ id: "a" }, { id: "b", params: 1 }];
    const { body } = await client.send("POST", `${INSTANCES}/batch`, { instances });
    expect(body).toEqual({
      instances: [{ id: "b", details: { status: "queued", runNumber: 1 } }],
      skipped: ["a"],
    });
  });

  it("S2-040 batch create answers without awaiting a tick", async () => {
    const client = createTestingClient();
    const release = client.service.holdTicks();
    const ticking = client.send("POST", "/_runner/tick", {}, bearer);
    const batch = await client.send("POST", `${INSTANCES}/batch`, { instances: [{ id: "a" }] });
    expect(batch.status).toBe(200);
    release();
    expect((await ticking).status).toBe(200);
  });
});

describe("managing (S0-145, S0-146, S0-147, S0-148)", () => {
  it.each([
    ["pause", "queued", "paused"],
    ["resume", "paused", "queued"],
    ["terminate", "running", "terminated"],
    ["restart", "complete", "queued"],
  ] as const)("POST …/%s takes %s to %s", async (command, before, after) => {
    const client = await createClientWithInstance();
    client.service.setStatus("a", before);
    const { status, body } = await client.send("POST", `${INSTANCES}/a/${command}`);
    expect(status).toBe(200);
    const runNumber = command === "restart" ? 2 : 1;
    expect(body).toEqual({ ok: true, details: { status: after, runNumber } });
  });

  it("a lifecycle route does not look at a body", async () => {
    const client = await createClientWithInstance();
    expect((await client.send("POST", `${INSTANCES}/a/pause`, "{not json")).status).toBe(200);
  });

  it.each(["queued", "waiting", "paused"] as const)(
    "S0-149 an event is kept while the instance is %s",
    async (status) => {
      const client = await createClientWithInstance();
      client.service.setStatus("a", status);
      const event = { type: "approve", payload: { by: "me" } };
      const sent = await client.send("POST", `${INSTANCES}/a/events`, event);
      expect(sent.body).toEqual({ status: { status, runNumber: 1 } });
      const history = await client.send("GET", `${INSTANCES}/a/history`);
      expect(history.body).toMatchObject({ events: [event] });
    },
  );
});

describe("ticking", () => {
  it("S0-153 tick passes its limits on and answers what was processed", async () => {
    const deadline = 123;
    const tick = { bearerSecret: TESTING_SECRET, deadline: (): number => deadline };
    const client = createTestingClient({ tick });
    const limits = { maxInstances: 2, maxSteps: 3 };
    const posted = await client.send("POST", "/_runner/tick", limits, bearer);
    expect(posted.body).toEqual({ processed: 0, steps: 0, moreDue: false, nextWakeAt: null });
    await client.send("GET", "/_runner/tick?maxInstances=4", undefined, bearer);
    await client.send("POST", "/_runner/tick", undefined, bearer);
    expect(client.service.ticks).toEqual([
      { ...limits, deadline },
      { maxInstances: 4, deadline },
      { deadline },
    ]);
  });

  it("S0-096 ticks over HTTP run side by side", async () => {
    const client = createTestingClient();
    const release = client.service.holdTicks();
    const ticking = [1, 2, 3].map(() => client.send("POST", "/_runner/tick", {}, bearer));
    await expect.poll(() => client.service.ticks.length).toBe(3);
    release();
    expect((await Promise.all(ticking)).map(({ status }) => status)).toEqual([200, 200, 200]);
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
    const handler = createFetchHandler(new TestingService());
    const answer = await toAnswer(await handler(new Request("http://host.test/nowhere")));
    expect(answer).toMatchObject({ status: 404, code: "ROUTE_NOT_FOUND" });
  });
});
