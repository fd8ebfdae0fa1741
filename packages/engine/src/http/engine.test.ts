import { safeParse } from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import { defineTopic } from "../authoring/topic.ts";
import { createEngine } from "../verbs/engine.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { ROUTE_REFERENCE } from "./route-reference.ts";
import { listRoutes } from "./routes.ts";
import { INSTANCES, TESTING_SECRET, toAnswer, type Answer } from "./testing-client.ts";

interface Client {
  readonly send: (method: string, path: string, body?: unknown) => Promise<Answer>;
  readonly tick: () => Promise<Answer>;
  /** Totals that the step body has seen, in order. */
  readonly charged: number[];
  /** Step bodies stay open until the function that this returns is called. */
  readonly holdBodies: () => () => void;
}

/** The real engine on the memory store, with a workflow that charges and then waits for an approval. */
function createClient(): Client {
  const charged: number[] = [];
  let held = Promise.resolve();
  const order = defineWorkflow(
    {
      name: "ORDER",
      schema: z.object({ total: z.number(), extra: z.unknown().optional() }),
      events: { approve: z.object({ by: z.string() }), note: z.unknown() },
    },
    async ({ payload }, step) => {
      const receipt = await step.do("charge", async () => {
        charged.push(payload.total);
        await held;
        return { paid: payload.total };
      });
      const approval = await step.waitForEvent("approval", { type: "approve" });
      return { receipt, by: approval.payload.by };
    },
  );
  const engine = createEngine({
    workflows: { order },
    topics: [defineTopic({ name: "placed" })],
    bulk: true,
    store: createMemoryStore(),
    http: { open: true, tick: { bearerSecret: TESTING_SECRET } },
  });
  const headers = { "content-type": "application/json", authorization: `Bearer ${TESTING_SECRET}` };
  const send = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const init = body === undefined ? { method, headers } : { method, headers, body: toText(body) };
    return toAnswer(await engine.fetch(new Request(`http://host.test/api/workflows${path}`, init)));
  };
  return {
    send,
    charged,
    tick: () => send("POST", "/_runner/tick", {}),
    holdBodies: () => {
      const releases: (() => void)[] = [];
      held = new Promise((resolve) => {
        releases.push(resolve);
      });
      return () => releases.forEach((release) => release());
    },
  };
}

const toText = (body: unknown): string => (typeof body === "string" ? body : JSON.stringify(body));
const params = { total: 5 };

describe("the engine over HTTP", () => {
  it("S0-151 an event wakes the instance that waits for it, which the next tick completes", async () => {
    const { send, tick, charged } = createClient();
    expect((await send("POST", INSTANCES, { id: "a", params })).body).toMatchObject({ id: "a" });
    expect((await tick()).body).toMatchObject({ processed: 1, steps: 1, moreDue: false });
    const waiting = await send("GET", `${INSTANCES}/a`);
    expect(waiting.body).toMatchObject({ details: { status: "waiting" } });
    expect((await tick()).body).toMatchObject({ processed: 0 });

    const event = { type: "approve", payload: { by: "me" } };
    expect((await send("POST", `${INSTANCES}/a/events`, event)).status).toBe(200);
    expect((await tick()).body).toMatchObject({ processed: 1 });
    expect((await send("GET", `${INSTANCES}/a`)).body).toMatchObject({
      details: { status: "complete", runNumber: 1, output: { receipt: { paid: 5 }, by: "me" } },
    });
    expect(charged).toEqual([5]);
  });

  it("S0-152 history pages show every step and event once, with full results", async () => {
    const { send, tick } = createClient();
    await send("POST", INSTANCES, { id: "a", params });
    await tick();
    await send("POST", `${INSTANCES}/a/events`, { type: "approve", payload: { by: "me" } });
    await tick();
    const names: string[] = [];
    let cursor = "";
    for (let page = 0; page < 5; page += 1) {
      const { body } = await send("GET", `${INSTANCES}/a/history?pageSize=1${cursor}`);
      const parsed = safeParse(ROUTE_REFERENCE.listHistory.output, body);
      expect(parsed.issues ?? []).toEqual([]);
      if (!parsed.success) break;
      const { steps, events, hasNextPage } = parsed.output;
      names.push(...steps.map(({ name }) => name), ...events.map(({ type }) => type));
      if (!hasNextPage) break;
      cursor = `&cursor=${encodeURIComponent(parsed.output.cursor ?? "")}`;
    }
    expect(names.toSorted()).toEqual(["approval", "approve", "charge"]);
    const whole = await send("GET", `${INSTANCES}/a/history?runNumber=1`);
    expect(whole.body).toMatchObject({ steps: [{ result: { paid: 5 } }, { name: "approval" }] });
  });

  it("S0-139 a list's cursor leads through every instance once", async () => {
    const { send } = createClient();
    const instances = ["a", "b", "c", "d", "e"].map((id) => ({ id, params }));
    await send("POST", `${INSTANCES}/batch`, { instances });
    const ids: string[] = [];
    let cursor = "";
    for (let page = 0; page < 4; page += 1) {
      const { body } = await send("GET", `${INSTANCES}?pageSize=2${cursor}`);
      const parsed = safeParse(ROUTE_REFERENCE.listInstances.output, body);
      if (!parsed.success) break;
      ids.push(...parsed.output.instances.map(({ id }) => id));
      if (!parsed.output.hasNextPage) break;
      cursor = `&cursor=${encodeURIComponent(parsed.output.cursor ?? "")}`;
    }
    expect(ids.toSorted()).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("S0-148 pause, resume, terminate and restart answer the state that they led to", async () => {
    const { send } = createClient();
    await send("POST", INSTANCES, { id: "a", params });
    const control = async (command: string): Promise<unknown> =>
      (await send("POST", `${INSTANCES}/a/${command}`)).body;
    const to = (status: string, runNumber: number): object => ({
      ok: true,
      details: { status, runNumber },
    });
    expect(await control("pause")).toEqual(to("paused", 1));
    expect(await control("resume")).toEqual(to("queued", 1));
    expect(await control("terminate")).toEqual(to("terminated", 1));
    expect(await control("terminate")).toMatchObject({ code: "INSTANCE_TERMINAL" });
    expect(await control("restart")).toEqual(to("queued", 2));
  });

  it("ticks at the same time run each step body once", async () => {
    const { send, tick, charged, holdBodies } = createClient();
    const release = holdBodies();
    const totals = [1, 2, 3, 4, 5];
    const instances = totals.map((total) => ({ id: `i${total}`, params: { total } }));
    await send("POST", `${INSTANCES}/batch`, { instances });
    const ticking = Promise.all([tick(), tick(), tick()]);
    await expect.poll(() => charged.length).toBe(5);
    release();
    expect((await ticking).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(charged.toSorted((a, b) => a - b)).toEqual(totals);
  });

  it("S2-040 batch create answers while a tick is held up by a step body", async () => {
    const { send, tick, charged, holdBodies } = createClient();
    const release = holdBodies();
    await send("POST", INSTANCES, { id: "a", params });
    const ticking = tick();
    await expect.poll(() => charged.length).toBe(1);
    const batch = await send("POST", `${INSTANCES}/batch`, { instances: [{ id: "b", params }] });
    expect(batch.body).toMatchObject({ instances: [{ id: "b" }], skipped: [] });
    expect(charged).toEqual([5]);
    release();
    expect((await ticking).status).toBe(200);
  });

  const BODIES: Readonly<Record<string, unknown>> = {
    createInstance: { id: "b", params },
    restartOrCreateInstance: { params },
    rewindInstance: { step: "charge" },
    forkInstance: { step: "charge" },
    updateInstance: { tags: ["t"], memo: { n: 1 }, deadline: "1 hour" },
    createBatch: { instances: [{ id: "b", params }] },
    sendEvent: { type: "approve", payload: { by: "me" } },
    emit: { payload: 1, id: "m" },
    previewBulk: { act: "terminate", tag: "t" },
    startBulk: { act: "terminate", tag: "t" },
    startBulkDelete: { tag: "t" },
    tick: {},
  };

  it.each(listRoutes())("%s answers in the shape that the table declares", async (name, route) => {
    const { send, tick } = createClient();
    await send("POST", INSTANCES, { id: "a", params });
    await tick();
    const path = route.path
      .replace(":workflowName", "ORDER")
      .replace(":instanceId", "a")
      .replace(":topic", "placed")
      .replace(":bulkId", "none");
    const { status, body } = await send(route.method, path, BODIES[name]);
    // It goes on: what a retry answers is checked where one has failed, and a delete where one has ended.
    if (name === "retryInstance" || name === "deleteInstance") return expect(status).toBe(409);
    // It has made no callbacks, and has no event and no job of that id.
    if (["completeCallback", "getReply", "getBulk", "cancelBulk"].includes(name))
      return expect(status).toBe(404);
    expect(status).toBe(200);
    expect(safeParse(ROUTE_REFERENCE[name].output, body).issues ?? []).toEqual([]);
  });
});

describe("the engine refuses over HTTP, and nothing is written", () => {
  const big = "x".repeat(1024 * 1024 + 1);
  const many = Array.from({ length: 101 }, (_, i) => ({ id: `i${i}`, params }));
  const deep = `{"id":"b","params":{"total":1,"extra":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`;

  const item = (id: string, value: unknown = params): object => ({ id, params: value });
  const batch = (...instances: object[]): object => ({ instances });
  const approve = { type: "approve", payload: { by: "me" } };

  it.each<[string, { at: string; body?: unknown; code: string }]>([
    [
      "S0-142 create in an unknown workflow",
      { at: "/workflows/NOPE/instances", body: {}, code: "WORKFLOW_NOT_FOUND" },
    ],
    [
      "S0-142 create in a prototype's key",
      { at: "/workflows/__proto__/instances", body: {}, code: "WORKFLOW_NOT_FOUND" },
    ],
    [
      "S0-142 create with a path as id",
      { at: INSTANCES, body: item("../b"), code: "INVALID_INSTANCE_ID" },
    ],
    [
      "S0-142 create with an empty id",
      { at: INSTANCES, body: item(""), code: "INVALID_INSTANCE_ID" },
    ],
    [
      "S0-142 create with an existing id",
      { at: INSTANCES, body: item("a"), code: "INSTANCE_ID_ALREADY_EXISTS" },
    ],
    [
      "S0-140 create with params of another type",
      { at: INSTANCES, body: item("b", 5), code: "INVALID_PARAMS" },
    ],
    [
      "S0-140 create with 1 MiB and more of params",
      { at: INSTANCES, body: item("b", { total: 1, extra: big }), code: "PAYLOAD_TOO_LARGE" },
    ],
    ["S0-140 create nested 100 000 deep", { at: INSTANCES, body: deep, code: "INVALID_REQUEST" }],
    [
      "S0-143 a batch of 101",
      { at: `${INSTANCES}/batch`, body: batch(...many), code: "BATCH_TOO_LARGE" },
    ],
    [
      "S0-143 a batch with one bad id",
      { at: `${INSTANCES}/batch`, body: batch(item("b"), item("ü")), code: "INVALID_INSTANCE_ID" },
    ],
    [
      "S0-143 a batch with one item of bad params",
      { at: `${INSTANCES}/batch`, body: batch(item("b"), item("c", 5)), code: "INVALID_PARAMS" },
    ],
    ["S0-144 get of an unknown id", { at: `${INSTANCES}/nobody`, code: "INSTANCE_NOT_FOUND" }],
    ["S0-144 get of a path as id", { at: `${INSTANCES}/..%2Fa`, code: "INVALID_INSTANCE_ID" }],
    [
      "S0-148 pause of an unknown id",
      { at: `${INSTANCES}/nobody/pause`, body: {}, code: "INSTANCE_NOT_FOUND" },
    ],
    [
      "S0-150 event to an unknown id",
      { at: `${INSTANCES}/nobody/events`, body: approve, code: "INSTANCE_NOT_FOUND" },
    ],
    [
      "S0-150 event of a type with a space",
      { at: `${INSTANCES}/a/events`, body: { type: "a b" }, code: "INVALID_EVENT_TYPE" },
    ],
    [
      "S0-150 event that its schema refuses",
      {
        at: `${INSTANCES}/a/events`,
        body: { ...approve, payload: {} },
        code: "INVALID_EVENT_PAYLOAD",
      },
    ],
    [
      "S0-150 event of 1 MiB and more",
      {
        at: `${INSTANCES}/a/events`,
        body: { type: "note", payload: big },
        code: "PAYLOAD_TOO_LARGE",
      },
    ],
    [
      "S0-139 list from a cursor of garbage",
      { at: `${INSTANCES}?cursor=garbage`, code: "INVALID_CURSOR" },
    ],
    [
      "S0-139 list from a cursor of NUL and unicode",
      { at: `${INSTANCES}?cursor=%00%F0%9F%98%80`, code: "INVALID_CURSOR" },
    ],
    [
      "S0-152 history from a cursor of JSON",
      { at: `${INSTANCES}/a/history?cursor=e30`, code: "INVALID_CURSOR" },
    ],
    [
      "S0-152 history of a run beyond any",
      { at: `${INSTANCES}/a/history?runNumber=9007199254740991`, code: "INVALID_REQUEST" },
    ],
  ])("%s", async (_what, { at, body, code }) => {
    const { send } = createClient();
    await send("POST", INSTANCES, { id: "a", params });
    const before = await send("GET", `${INSTANCES}/a/history`);
    expect(await send(body === undefined ? "GET" : "POST", at, body)).toMatchObject({ code });
    const { body: list } = await send("GET", INSTANCES);
    expect(list).toMatchObject({ instances: [{ id: "a" }], hasNextPage: false });
    expect((await send("GET", `${INSTANCES}/a/history`)).body).toEqual(before.body);
  });

  it("S0-150 an event to a terminal instance is INSTANCE_TERMINAL", async () => {
    const { send } = createClient();
    await send("POST", INSTANCES, { id: "a", params });
    await send("POST", `${INSTANCES}/a/terminate`);
    const event = { type: "approve", payload: { by: "me" } };
    const refused = await send("POST", `${INSTANCES}/a/events`, event);
    expect(refused).toMatchObject({ status: 409, code: "INSTANCE_TERMINAL" });
  });

  it("params nested as deep as the limit are kept", async () => {
    const { send } = createClient();
    const extra = `${"[".repeat(990)}${"]".repeat(990)}`;
    const created = await send(
      "POST",
      INSTANCES,
      `{"id":"b","params":{"total":1,"extra":${extra}}}`,
    );
    expect(created.status).toBe(200);
  });
});
