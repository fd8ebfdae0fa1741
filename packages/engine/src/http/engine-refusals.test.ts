/** What the engine refuses over HTTP without writing anything. */
import { describe, expect, it } from "vitest";
import { INSTANCES } from "./testing-client.ts";
import { createClient, params } from "./testing-engine.ts";

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
