/** `deleteInstance`: who may call it, what it answers, and that a repeat is not an error. */
import { describe, expect, it } from "vitest";
import { createTestingClient, INSTANCES } from "./testing-client.ts";

const PATH = `${INSTANCES}/a`;

const refuse = (): never => {
  throw new TypeError("no");
};

async function createEnded(options: Parameters<typeof createTestingClient>[0] = {}) {
  const client = createTestingClient(options);
  await client.service.createInstance("ORDER", { id: "a", params: 5 });
  await client.service.control("ORDER", "a", "terminate");
  return client;
}

describe("delete over HTTP", () => {
  it("S8-005 one that has ended is gone, and deleting it again is no error", async () => {
    const { send } = await createEnded();
    expect(await send("DELETE", PATH)).toMatchObject({ status: 200, body: { deletedCount: 1 } });
    expect(await send("GET", PATH)).toMatchObject({ code: "INSTANCE_NOT_FOUND" });
    expect(await send("DELETE", PATH)).toMatchObject({ status: 200, body: { deletedCount: 0 } });
  });

  it("S8-005 one that goes on is refused, with what it does", async () => {
    const { send, service } = await createEnded();
    await service.control("ORDER", "a", "restart");
    const answer = await send("DELETE", PATH);
    expect(answer).toMatchObject({ status: 409, code: "INSTANCE_NOT_ENDED" });
    const details = { instanceId: "a", liveWorkflowName: "ORDER", liveInstanceId: "a" };
    expect(answer.body).toMatchObject({ error: { details: { ...details, status: "queued" } } });
    expect(await send("GET", PATH)).toMatchObject({ status: 200 });
  });

  it("S8-005 its policy is of its own: who may do all else may not delete", async () => {
    const allow = (): undefined => undefined;
    const policies = { manage: allow, read: allow, create: allow, view: allow, delete: refuse };
    const { send } = await createEnded({ policies });
    expect(await send("DELETE", PATH)).toMatchObject({ status: 403, code: "FORBIDDEN" });
    expect(await send("GET", PATH)).toMatchObject({ status: 200 });
  });

  it("S8-005 a page of another site deletes nothing", async () => {
    const { send } = await createEnded();
    const headers = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
    const answer = await send("DELETE", PATH, undefined, headers);
    expect(answer).toMatchObject({ status: 403, code: "CROSS_SITE_REQUEST" });
    expect(await send("GET", PATH)).toMatchObject({ status: 200 });
  });

  it("S8-005 names that cannot be are refused", async () => {
    const { send } = await createEnded();
    const none = "/workflows/NONE/instances/a";
    expect(await send("DELETE", none)).toMatchObject({ status: 404, code: "WORKFLOW_NOT_FOUND" });
    const bad = `${INSTANCES}/-x`;
    expect(await send("DELETE", bad)).toMatchObject({ status: 400, code: "INVALID_INSTANCE_ID" });
    expect(await send("DELETE", INSTANCES)).toMatchObject({ status: 405 });
  });
});
