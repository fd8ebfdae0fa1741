/** `deadline`, `tags` and `memo` over HTTP: given with a create, changed later, and shown to readers. */
import { describe, expect, it } from "vitest";
import { createTestingClient, INSTANCES } from "./testing-client.ts";

const UPDATE = `${INSTANCES}/a/update`;
const HOUR = 3_600_000;

describe("what is said of a run over HTTP", () => {
  it("S6-023 a create and each instance of a batch say it, and status and list show it", async () => {
    const { send } = createTestingClient();
    const said = { tags: ["vip", "eu"], memo: { by: "ada", n: [1] } };
    const made = await send("POST", INSTANCES, { id: "a", ...said, deadline: "1 hour" });
    expect(made.body).toMatchObject({
      id: "a",
      details: { ...said, deadlineAt: expect.any(Number) },
    });
    const at = Date.now() + HOUR;
    const instances = [
      { id: "b", deadlineAt: at },
      { id: "c", deadline: null, memo: null },
    ];
    const batch = await send("POST", `${INSTANCES}/batch`, { instances });
    expect(batch.body).toMatchObject({ instances: [{ details: { deadlineAt: at } }, {}] });
    const { body } = await send("GET", INSTANCES);
    const found = (body as { instances: { id: string; details: object }[] }).instances;
    expect(found.find(({ id }) => id === "a")?.details).toMatchObject(said);
    expect(found.find(({ id }) => id === "c")?.details).toEqual({ status: "queued", runNumber: 1 });
  });

  it("S6-023 an update changes what it says, and null takes away; under its key it comes once", async () => {
    const { send } = createTestingClient();
    await send("POST", INSTANCES, { id: "a", tags: ["x"], memo: 1, deadline: HOUR });
    const headers = { "idempotency-key": "k" };
    const first = await send(
      "POST",
      `${UPDATE}?ifRunNumber=1`,
      { tags: ["y"], ifStatus: ["queued"] },
      headers,
    );
    expect(first.body).toMatchObject({ ok: true, details: { tags: ["y"], memo: 1 } });
    await send("POST", UPDATE, { tags: ["z"], deadlineAt: null, memo: null });
    const repeat = await send("POST", UPDATE, { tags: ["y"] }, headers);
    // Another command came in between, so this is a new one.
    expect(repeat.body).toEqual({
      ok: true,
      details: { status: "queued", runNumber: 1, tags: ["z"] },
    });
  });

  it.each([
    [{}, "INVALID_REQUEST"],
    [{ tags: "vip" }, "INVALID_REQUEST"],
    [{ tags: [""] }, "INVALID_REQUEST"],
    [{ tags: ["\u0000"] }, "INVALID_REQUEST"],
    [{ tags: ["x".repeat(65)] }, "INVALID_REQUEST"],
    [{ tags: Array.from({ length: 17 }, (_, n) => `t${n}`) }, "INVALID_REQUEST"],
    [{ tags: [1] }, "INVALID_REQUEST"],
    [{ memo: "x".repeat(4096) }, "PAYLOAD_TOO_LARGE"],
    [{ deadline: "soon" }, "INVALID_DURATION"],
    [{ deadline: "400 days" }, "INVALID_DURATION"],
    [{ deadlineAt: 1e17 }, "INVALID_REQUEST"],
    [{ deadline: "1 hour", deadlineAt: 5 }, "INVALID_REQUEST"],
    [{ label: 1 }, "INVALID_REQUEST"],
  ])("S6-023 %j is refused as %s by create and update", async (said, code) => {
    const { send } = createTestingClient();
    await send("POST", INSTANCES, { id: "a" });
    const answer = await send("POST", UPDATE, said);
    expect(answer.body).toMatchObject({ code });
    if (Object.keys(said).length === 0) return;
    expect((await send("POST", INSTANCES, { id: "b", ...said })).body).toMatchObject({ code });
    expect((await send("GET", `${INSTANCES}/b`)).status).toBe(404);
  });

  it("S6-023 tags and memo are not for those who may not read", async () => {
    const refuse = (): never => {
      throw new TypeError("no");
    };
    const { send, service } = createTestingClient({ policies: { read: refuse } });
    await service.createInstance("ORDER", { id: "a", tags: ["secret"], memo: "secret" });
    const { body, status } = await send("POST", UPDATE, { deadline: "1 hour" });
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain("secret");
  });
});
