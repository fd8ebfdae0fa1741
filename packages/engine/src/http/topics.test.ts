/** Topics over HTTP. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createEngine, defineTopic, defineWorkflow } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";

const placed = defineTopic({ name: "placed", schema: z.object({ n: z.number() }) });
const order = defineWorkflow({ name: "order" }, async (_, step) => {
  const { payload } = await step.waitForTopic("wait", placed, { timeout: "1 hour" });
  return payload.n;
});

async function createClient(policies: readonly string[] = []) {
  const refuse = (): never => {
    throw new RangeError("no");
  };
  const engine = createEngine({
    workflows: { order },
    topics: [placed],
    store: createMemoryStore(),
    logger: { log: () => undefined },
    http: { open: true, policies: Object.fromEntries(policies.map((name) => [name, refuse])) },
  });
  await engine.workflows.order.create({ id: "a" });
  await engine.tick();
  const send = async (method: string, path: string, body?: unknown) => {
    const headers = { "content-type": "application/json" };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const answer = await engine.fetch(new Request(`http://h/api/workflows/topics${path}`, init));
    const json = (await answer.json()) as { readonly code?: string };
    return [answer.status, json.code ?? json];
  };
  return { engine, send };
}

describe("S6-015 topics over HTTP", () => {
  test("S6-015 S4-008 S4-011 a message is emitted, its repeat is told to be one, and who waits is listed", async () => {
    const { engine, send } = await createClient();
    const [status, list] = await send("GET", "/placed/waiters?limit=5");
    expect([status, list]).toMatchObject([
      200,
      { waiters: [{ workflowName: "order", id: "a", runNumber: 1, stepKey: "wait" }] },
    ]);
    const body = { payload: { n: 1 }, id: "m" };
    expect(await send("POST", "/placed", body)).toEqual([200, { duplicate: false, delivered: 1 }]);
    expect(await send("POST", "/placed", body)).toEqual([200, { duplicate: true, delivered: 0 }]);
    expect(await send("POST", "/placed", { payload: { n: 2 }, id: "m" })).toEqual([
      409,
      "EVENT_ID_CONFLICT",
    ]);
    await engine.tick();
    expect(await engine.getInstance("order", "a")).toMatchObject({ details: { output: 1 } });
    expect(await send("GET", "/placed/waiters")).toEqual([200, { waiters: [] }]);
  });

  test.for([
    [404, "TOPIC_NOT_FOUND", "POST", "/other", {}],
    [404, "TOPIC_NOT_FOUND", "GET", "/constructor/waiters", undefined],
    [400, "INVALID_EVENT_PAYLOAD", "POST", "/placed", { payload: { n: "1" } }],
    [400, "INVALID_IDEMPOTENCY_KEY", "POST", "/placed", { payload: { n: 1 }, id: "" }],
    [400, "INVALID_REQUEST", "POST", "/placed", { payload: { n: 1 }, key: "x" }],
    [400, "INVALID_REQUEST", "GET", "/placed/waiters?limit=0", undefined],
    [400, "INVALID_REQUEST", "GET", "/placed/waiters?limit=1001", undefined],
    [405, "METHOD_NOT_ALLOWED", "GET", "/placed", undefined],
  ] as const)("S6-015 %i %s: %s %s", async ([status, code, method, path, body]) => {
    const { send } = await createClient();
    expect(await send(method, path, body)).toEqual([status, code]);
  });

  test("S6-015 the policies of events and of reading guard them", async () => {
    const { send } = await createClient(["events", "read"]);
    expect(await send("POST", "/placed", { payload: { n: 1 } })).toEqual([403, "FORBIDDEN"]);
    expect(await send("GET", "/placed/waiters")).toEqual([403, "FORBIDDEN"]);
  });

  test("S6-015 S8-001 who may not look at all workflows is not told which of their runs wait", async () => {
    const { send } = await createClient(["view"]);
    expect(await send("GET", "/placed/waiters")).toEqual([403, "FORBIDDEN"]);
    expect(await send("POST", "/placed", { payload: { n: 1 } })).toMatchObject([200, {}]);
  });
});
