import { describe, expect, it } from "vitest";
import {
  createTestingClient,
  INSTANCES,
  type Answer,
  type TestingClient,
} from "./testing-client.ts";
import { TESTING_FAILURE } from "./testing-service.ts";

const key = (value: string): Record<string, string> => ({ "idempotency-key": value });

/** The instance's events in its history. */
async function eventsOf({ send }: TestingClient, id: string): Promise<readonly unknown[]> {
  const { body } = await send("GET", `${INSTANCES}/${id}/history`);
  return (body as { events: readonly unknown[] }).events;
}

const idOf = ({ body }: Answer): string => (body as { id: string }).id;

describe("Idempotency-Key of create", () => {
  it("S5-023 makes the id, and a repeat answers with the same instance", async () => {
    const { send } = createTestingClient();
    const first = await send("POST", INSTANCES, { params: { total: 1 } }, key("k-1"));
    const again = await send("POST", INSTANCES, { params: { total: 1 } }, key("k-1"));
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body).toEqual(first.body);
    const other = await send("POST", INSTANCES, { params: { total: 1 } }, key("k-2"));
    expect(idOf(other)).not.toBe(idOf(first));
    expect((await send("GET", INSTANCES)).body).toMatchObject({ instances: { length: 2 } });
  });

  it("S5-023 refuses other params under the same key", async () => {
    const { send } = createTestingClient();
    await send("POST", INSTANCES, { params: { total: 1 } }, key("k"));
    const answer = await send("POST", INSTANCES, { params: { total: 2 } }, key("k"));
    expect([answer.status, answer.code]).toEqual([409, "IDEMPOTENCY_KEY_CONFLICT"]);
    expect((await send("GET", INSTANCES)).body).toMatchObject({ instances: { length: 1 } });
  });

  it("S5-023 with an id: the repeat is accepted, the id under another key or none is taken", async () => {
    const { send } = createTestingClient();
    const create = (headers: Record<string, string>): Promise<Answer> =>
      send("POST", INSTANCES, { id: "a", params: {} }, headers);
    expect((await create(key("k"))).status).toBe(200);
    expect((await create(key("k"))).status).toBe(200);
    for (const headers of [key("other"), {}])
      expect((await create(headers)).code).toBe("INSTANCE_ID_ALREADY_EXISTS");
  });

  it("S5-023 of a batch: what it created before counts as created now", async () => {
    const { send } = createTestingClient();
    const batch = (ids: readonly string[], total = 1): Promise<Answer> =>
      send(
        "POST",
        `${INSTANCES}/batch`,
        { instances: ids.map((id) => ({ id, params: { total } })) },
        key("b"),
      );
    await send("POST", INSTANCES, { id: "foreign" });
    const first = await batch(["a", "b", "foreign"]);
    expect(first.body).toMatchObject({
      instances: [{ id: "a" }, { id: "b" }],
      skipped: ["foreign"],
    });
    expect((await batch(["a", "b", "foreign"])).body).toEqual(first.body);
    expect((await batch(["a"], 2)).code).toBe("IDEMPOTENCY_KEY_CONFLICT");
  });
});

describe("Idempotency-Key and eventId of events", () => {
  async function createWithInstance(): Promise<TestingClient> {
    const client = createTestingClient();
    await client.send("POST", INSTANCES, { id: "a", params: {} });
    return client;
  }

  it.each([
    ["the header", {}, key("e-1")],
    ["eventId in the body", { eventId: "e-1" }, {}],
    ["both", { eventId: "e-1" }, key("another")],
  ])("S5-023 %s stores the event once", async (_name, more, headers) => {
    const client = await createWithInstance();
    const sendOnce = (payload: unknown): Promise<Answer> =>
      client.send("POST", `${INSTANCES}/a/events`, { type: "approve", payload, ...more }, headers);
    const first = await sendOnce({ n: 1 });
    expect(first.status).toBe(200);
    expect((await sendOnce({ n: 1 })).body).toEqual(first.body);
    const conflict = await sendOnce({ n: 2 });
    expect([conflict.status, conflict.code]).toEqual([409, "EVENT_ID_CONFLICT"]);
    expect(await eventsOf(client, "a")).toHaveLength(1);
  });

  it.each(["", "x".repeat(256), "white space", "ü"])(
    "S5-023 an id of %j is refused",
    async (eventId) => {
      const { send } = await createWithInstance();
      const answer = await send("POST", `${INSTANCES}/a/events`, { type: "approve", eventId });
      expect([answer.status, answer.code]).toEqual([400, "INVALID_IDEMPOTENCY_KEY"]);
    },
  );

  it("S5-013 at the cap the answer is 429 and says what the cap is", async () => {
    const client = await createWithInstance();
    const { send } = client;
    const event = { type: "approve", payload: "x".repeat(1_000_000) };
    const codes: (string | null)[] = [];
    for (let count = 0; count < 17; count += 1)
      codes.push((await send("POST", `${INSTANCES}/a/events`, event)).code);
    expect(codes.slice(0, 16)).toEqual(Array.from({ length: 16 }, () => null));
    const refused = await send("POST", `${INSTANCES}/a/events`, event);
    expect(refused).toMatchObject({
      status: 429,
      code: "EVENT_LIMIT",
      body: {
        error: { details: { maxUndeliveredEvents: 1000, maxUndeliveredEventBytes: 16_777_216 } },
      },
    });
  });
});

describe("Idempotency-Key and ifRunNumber of commands", () => {
  async function createWithInstance(): Promise<TestingClient> {
    const client = createTestingClient();
    await client.send("POST", INSTANCES, { id: "a", params: {} });
    return client;
  }

  it("S5-023 a restart sent again under its key restarts once", async () => {
    const { send } = await createWithInstance();
    const restart = (headers: Record<string, string>): Promise<Answer> =>
      send("POST", `${INSTANCES}/a/restart`, undefined, headers);
    expect((await restart(key("r"))).body).toMatchObject({ details: { runNumber: 2 } });
    expect((await restart(key("r"))).body).toMatchObject({ details: { runNumber: 2 } });
    expect((await restart({})).body).toMatchObject({ details: { runNumber: 3 } });
  });

  it("S5-023 S6-021 a retry sent again under its key, or for another run, retries once", async () => {
    const { send, service } = await createWithInstance();
    await service.createInstance("ORDER", { id: "f", params: TESTING_FAILURE });
    await service.tick();
    const retry = (headers: Record<string, string>, query = ""): Promise<Answer> =>
      send("POST", `${INSTANCES}/f/retry${query}`, undefined, headers);
    expect((await retry({}, "?ifRunNumber=2")).code).toBe("RUN_NUMBER_MISMATCH");
    const retried = { ok: true, details: { status: "queued", runNumber: 1 } };
    expect((await retry(key("r"), "?ifRunNumber=1")).body).toEqual(retried);
    expect((await retry(key("r"))).body).toEqual(retried);
    expect((await retry(key("s"))).code).toBe("INSTANCE_NOT_ERRORED");
  });

  it.each(["pause", "resume", "terminate", "restart"])(
    "S5-023 a %s for another run is refused",
    async (command) => {
      const { send } = await createWithInstance();
      const answer = await send("POST", `${INSTANCES}/a/${command}?ifRunNumber=2`);
      expect([answer.status, answer.code]).toEqual([409, "RUN_NUMBER_MISMATCH"]);
      expect((await send("POST", `${INSTANCES}/a/${command}?ifRunNumber=1`)).status).toBe(200);
      expect((await send("POST", `${INSTANCES}/a/${command}?ifRunNumber=x`)).code).toBe(
        "INVALID_REQUEST",
      );
    },
  );
});
