/** `restartOrCreateInstance`: who may call it, and what it answers. */
import { describe, expect, it } from "vitest";
import { createFetchHandler } from "./fetch-handler.ts";
import { createTestingClient, INSTANCES } from "./testing-client.ts";
import { createTestingService } from "./testing-service.ts";

const PATH = `${INSTANCES}/a/restart-or-create`;

const refuse = (): never => {
  throw new TypeError("no");
};

describe("restart or create over HTTP", () => {
  it("S6-022 creates, restarts with the new params, or leaves alone what is not as asked for", async () => {
    const { send } = createTestingClient();
    const to = (outcome: string, runNumber: number): object => ({
      id: "a",
      outcome,
      details: { status: "queued", runNumber },
    });
    expect((await send("POST", PATH, { params: 1 })).body).toEqual(to("created", 1));
    expect((await send("POST", PATH, { params: 2 })).body).toEqual(to("restarted", 2));
    expect((await send("POST", `${PATH}?ifRunNumber=1`, {})).body).toEqual(to("unchanged", 2));
    const ended = { ifStatus: ["complete", "errored", "terminated"] };
    expect((await send("POST", PATH, ended)).body).toEqual(to("unchanged", 2));
  });

  it("S6-022 sent again under its key it does neither a second time", async () => {
    const { send } = createTestingClient();
    const key = (value: string) => ({ "idempotency-key": value });
    for (const outcome of ["created", "created"])
      expect((await send("POST", PATH, {}, key("a"))).body).toMatchObject({ outcome });
    for (const outcome of ["restarted", "restarted"])
      expect((await send("POST", PATH, {}, key("b"))).body).toMatchObject({
        outcome,
        details: { runNumber: 2 },
      });
  });

  it.each(["create", "manage"])("S6-022 is not for who may not %s", async (policy) => {
    const { send, service } = createTestingClient({ open: true, policies: { [policy]: refuse } });
    expect(await send("POST", PATH, {})).toMatchObject({ status: 403, code: "FORBIDDEN" });
    expect(service.countCreated()).toBe(0);
  });

  it("S6-022 is closed where only one of its two policies has an authorizer", async () => {
    const service = createTestingService();
    const handler = createFetchHandler(service, { policies: { manage: () => undefined } });
    const headers = { "content-type": "application/json" };
    const request = { method: "POST", headers, body: "{}" };
    const answer = await handler(new Request(`http://host.test/api/workflows${PATH}`, request));
    expect(answer.status).toBe(401);
    expect(service.countCreated()).toBe(0);
  });

  it.each([{ ifStatus: ["done"] }, { ifStatus: "complete" }, { id: "b" }])(
    "S6-022 refuses %j",
    async (body) => {
      const { send } = createTestingClient();
      expect(await send("POST", PATH, body)).toMatchObject({
        status: 400,
        code: "INVALID_REQUEST",
      });
    },
  );
});
