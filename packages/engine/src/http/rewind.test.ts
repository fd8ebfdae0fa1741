/** `rewindInstance` and `forkInstance`: who may call them, what they answer, and that a repeat does nothing twice. */
import { describe, expect, it } from "vitest";
import { createTestingClient, INSTANCES, type TestingClient } from "./testing-client.ts";
import { TESTING_FAILURE } from "./testing-service.ts";

const REWIND = `${INSTANCES}/a/rewind`;
const FORK = `${INSTANCES}/a/fork`;
const key = (value: string) => ({ "idempotency-key": value });

const refuse = (): never => {
  throw new TypeError("no");
};

async function createWaiting(
  options: Parameters<typeof createTestingClient>[0] = {},
): Promise<TestingClient> {
  const client = createTestingClient(options);
  await client.service.createInstance("ORDER", { id: "a", params: 5 });
  await client.service.tick();
  return client;
}

describe("rewind and fork over HTTP", () => {
  it("S6-022 a run is brought back to a step, and history tells of it", async () => {
    const { send, service } = await createWaiting();
    const { body, status } = await send("POST", REWIND, { step: "reserve" });
    expect({ body, status }).toEqual({
      status: 200,
      body: { ok: true, details: { status: "queued", runNumber: 1 } },
    });
    const history = await service.listHistory("ORDER", "a", {});
    expect(history.steps).toEqual([]);
    expect(history.events).toMatchObject([
      { type: "rewind reserve", payload: { removedSteps: 2 } },
    ]);
  });

  it("S6-021 a retry goes back to the step in the query, with the same keys", async () => {
    const { send, service } = createTestingClient();
    await service.createInstance("ORDER", { id: "a", params: TESTING_FAILURE });
    await service.tick();
    const retry = `${INSTANCES}/a/retry?from=reserve`;
    const { body, status } = await send("POST", retry, undefined, key("k"));
    expect({ body, status }).toEqual({
      status: 200,
      body: { ok: true, details: { status: "queued", runNumber: 1 } },
    });
    expect(await service.listHistory("ORDER", "a", {})).toMatchObject({
      steps: [],
      events: [{ type: "rewind reserve", payload: { removedSteps: 1, keepsKeys: true } }],
    });
    await send("POST", retry, undefined, key("k"));
    const other = await send("POST", `${INSTANCES}/a/retry?from=other`, undefined, key("k"));
    expect(other.body).toMatchObject({ code: "IDEMPOTENCY_KEY_CONFLICT" });
    const paused = await send("POST", `${INSTANCES}/a/pause?from=reserve`);
    expect(paused.body).toMatchObject({ code: "UNKNOWN_OPTION" });
    const bulk = { act: "retry", stuck: true, from: "reserve" };
    const refused = await send("POST", "/bulk", bulk);
    expect(refused.body).toMatchObject({ code: "INVALID_REQUEST" });
  });

  it("S6-022 a fork has an id and params of its own or those of its source, and says where it is from", async () => {
    const { send, service } = await createWaiting();
    const forkedFrom = { instanceId: "a", runNumber: 1, stepKey: "approval" };
    const made = await send("POST", FORK, { step: "approval", id: "f" });
    expect(made.body).toEqual({
      id: "f",
      details: { status: "queued", runNumber: 1, forkedFrom },
    });
    await send("POST", FORK, { step: "approval", id: "g", params: 6 });
    await service.tick();
    for (const id of ["f", "g"]) {
      await send("POST", `${INSTANCES}/${id}/events`, { type: "approve" });
      await service.tick();
    }
    const outputs = await Promise.all(
      ["f", "g"].map(async (id) => (await service.getInstance("ORDER", id)).details),
    );
    expect(outputs).toMatchObject([
      { status: "complete", output: 5, forkedFrom },
      { status: "complete", output: 6, forkedFrom },
    ]);
  });

  it("S6-022 sent again under its key neither is done a second time", async () => {
    const { send, service } = await createWaiting();
    for (let count = 0; count < 2; count += 1) {
      expect((await send("POST", REWIND, { step: "reserve" }, key("r"))).status).toBe(200);
      await service.tick();
    }
    expect((await service.listHistory("ORDER", "a", {})).events).toHaveLength(1);
    expect(await send("POST", REWIND, { step: "approval" }, key("r"))).toMatchObject({
      status: 409,
      code: "IDEMPOTENCY_KEY_CONFLICT",
    });
    const ids = [];
    for (let count = 0; count < 2; count += 1)
      ids.push((await send("POST", FORK, { step: "approval" }, key("f"))).body);
    expect(ids[0]).toEqual(ids[1]);
    expect(service.countCreated()).toBe(1);
    expect(await send("POST", FORK, { step: "reserve" }, key("f"))).toMatchObject({
      code: "IDEMPOTENCY_KEY_CONFLICT",
    });
  });

  it.each(["create", "manage", "read"])(
    "S6-022 a fork is not for who may not %s",
    async (policy) => {
      const { send } = await createWaiting({ open: true, policies: { [policy]: refuse } });
      expect(await send("POST", FORK, { step: "approval", id: "f" })).toMatchObject({
        status: 403,
        code: "FORBIDDEN",
      });
    },
  );

  it("S6-022 a rewind is not for who may not manage", async () => {
    const { send } = await createWaiting({ open: true, policies: { manage: refuse } });
    expect(await send("POST", REWIND, { step: "reserve" })).toMatchObject({ code: "FORBIDDEN" });
  });

  it.each([
    {},
    { step: "" },
    { step: 1 },
    { step: "a\u0000" },
    { step: "\uD800" },
    { step: "x".repeat(9000) },
    { step: "reserve", ifStatus: ["done"] },
    { step: "reserve", to: "x" },
  ])("S6-022 refuses %j", async (body) => {
    const { send } = await createWaiting();
    for (const path of [REWIND, FORK])
      expect(await send("POST", path, body)).toMatchObject({
        status: 400,
        code: "INVALID_REQUEST",
      });
    expect(await send("POST", `${REWIND}?newKeys=true`, { step: "reserve" })).toMatchObject({
      code: "UNKNOWN_OPTION",
    });
  });

  it("S6-021 a restart has new keys where the query says so, and other commands refuse to hear of it", async () => {
    const { send } = await createWaiting();
    const restarted = await send("POST", `${INSTANCES}/a/restart?newKeys=true`);
    expect(restarted.body).toMatchObject({ details: { runNumber: 2 } });
    expect(await send("POST", `${INSTANCES}/a/pause?newKeys=true`)).toMatchObject({
      code: "UNKNOWN_OPTION",
    });
    expect(await send("POST", `${INSTANCES}/a/restart?newKeys=1`)).toMatchObject({ status: 400 });
  });
});
