/** What callers without permission, and senders of garbage, learn. */
import { describe, expect, test } from "vitest";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import { WorkflowError } from "../core/errors.ts";
import { createEngine } from "../verbs/engine.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import type { FetchHandlerOptions } from "./options.ts";
import { toAnswer, type Answer } from "./testing-client.ts";
import { OUTPUT, PATH, start } from "./testing-safety.ts";

describe("S5-040 what a policy forbids leaks by no other route", () => {
  const forbid = (...policies: readonly string[]): FetchHandlerOptions => ({
    policies: Object.fromEntries(
      ["create", "manage", "events", "read"].map((policy) => [
        policy,
        () => (policies.includes(policy) ? new Response("no", { status: 403 }) : undefined),
      ]),
    ),
  });

  test("S5-040 create with onExisting return is 409 for those who may not read, and still creates", async () => {
    const { send } = await start(forbid("read"));
    const body = { id: "done", onExisting: "return" };
    const taken = await send("POST", PATH, { body });
    expect(taken).toMatchObject({ status: 409, code: "INSTANCE_ID_ALREADY_EXISTS" });
    expect(JSON.stringify(taken.body)).not.toContain(OUTPUT);
    expect(await send("POST", PATH, { body: { ...body, id: "new" } })).toMatchObject({
      status: 200,
    });
  });

  test("S5-040 create with onExisting return answers what exists to those who may read it", async () => {
    const { send } = await start(forbid());
    const answer = await send("POST", PATH, { body: { id: "done", onExisting: "return" } });
    expect(answer).toMatchObject({ status: 200, body: { details: { output: OUTPUT } } });
  });

  test("S5-040 the one who may read some instances is asked about the one that exists", async () => {
    const { send } = await start({
      authorizeRequest: ({ routeName, params }) =>
        routeName === "getInstance" && params["instanceId"] !== "mine"
          ? new Response("no", { status: 403 })
          : undefined,
    });
    const answer = await send("POST", PATH, { body: { id: "done", onExisting: "return" } });
    expect(answer).toMatchObject({ status: 409 });
  });

  test("S5-040 the names of all workflows are told to those who may list them only", async () => {
    const closed = await start(forbid("read"));
    const mayNot = await closed.send("POST", "/workflows/nope/instances", { body: {} });
    expect(mayNot).toMatchObject({ status: 404, code: "WORKFLOW_NOT_FOUND" });
    expect(JSON.stringify(mayNot.body)).not.toContain("order");
    const opened = await start(forbid());
    const may = await opened.send("POST", "/workflows/nope/instances", { body: {} });
    expect(may.body).toMatchObject({ error: { details: { registered: ["order"] } } });
  });

  test.each(["resume", "pause", "terminate", "restart", "retry"])(
    "S5-040 %s tells output and error to readers only",
    async (command) => {
      const { send } = await start(forbid("read"));
      for (const id of ["done", "failed"]) {
        const answer = await send("POST", `${PATH}/${id}/${command}`);
        expect(JSON.stringify(answer.body)).not.toContain(OUTPUT);
      }
    },
  );

  test("S5-040 resume of what has ended tells its output to readers", async () => {
    const { send } = await start(forbid());
    const answer = await send("POST", `${PATH}/done/resume`);
    expect(answer.body).toMatchObject({
      ok: true,
      details: { status: "complete", output: OUTPUT },
    });
  });

  test("S5-040 a batch and an event say of what exists that it does", async () => {
    const { send } = await start(forbid("read"));
    const batch = await send("POST", `${PATH}/batch`, { body: { instances: [{ id: "done" }] } });
    expect(batch.body).toEqual({ instances: [], skipped: ["done"] });
    const event = await send("POST", `${PATH}/done/events`, { body: { type: "t" } });
    expect(JSON.stringify(event.body)).not.toContain(OUTPUT);
  });

  test.each([
    ["GET", "/workflows"],
    ["GET", PATH],
    ["GET", `${PATH}/done`],
    ["GET", `${PATH}/nobody`],
    ["GET", `${PATH}/done/history`],
    ["HEAD", `${PATH}/done`],
    ["GET", "/workflows/nope/instances"],
    ["GET", `${PATH}?cursor=x`],
  ])("S5-040 %s %s says no more than that it is forbidden", async (method, path) => {
    const { send } = await start(forbid("read"));
    const answer = await send(method, path);
    expect(answer).toMatchObject({ status: 403, body: method === "HEAD" ? "" : "no" });
  });
});

describe("S5-038 an answer says no more than is needed", () => {
  const text = (answer: Answer): string => JSON.stringify(answer.body);

  test("S5-038 of a batch's members the first 20 faults are told, and it is counted before", async () => {
    const { send, engine } = await start({ open: true });
    const wrong = Array.from({ length: 90 }, () => 0);
    const answer = await send("POST", `${PATH}/batch`, { body: { instances: wrong } });
    expect(answer).toMatchObject({ status: 400, code: "INVALID_REQUEST" });
    expect(answer.body).toMatchObject({
      error: { details: { issues: { length: 20, 0: { path: "body.instances.0" } } } },
    });
    const many = Array.from({ length: 101 }, () => 0);
    const counted = await send("POST", `${PATH}/batch`, { body: { instances: many } });
    expect(counted).toMatchObject({ status: 400, code: "BATCH_TOO_LARGE" });
    expect((await engine.listInstances("order", {})).instances).toHaveLength(2);
  });

  test("S5-038 of a million faults that a schema finds 20 are told, and how many there were", async () => {
    const found = Array.from({ length: 1_000_000 }, (_, index) => ({
      path: ["member".repeat(100), index],
      message: `no number: ${"x".repeat(2000)}`,
    }));
    const schema = {
      "~standard": { version: 1, vendor: "test", validate: () => ({ issues: found }) },
    } as const;
    const strict = defineWorkflow({ name: "strict", schema }, async () => null);
    const engine = createEngine({
      workflows: { STRICT: strict },
      store: createMemoryStore(),
      http: { open: true },
      logger: { log: () => undefined },
    });
    const url = "https://shop.test/api/workflows/workflows/strict/instances";
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: "{}" };
    const answer = await toAnswer(await engine.fetch(new Request(url, init)));
    expect(answer).toMatchObject({ status: 400, code: "INVALID_PARAMS" });
    expect(text(answer).length).toBeLessThan(64 * 1024);
    expect(answer.body).toMatchObject({
      error: { details: { issues: { length: 20 }, issueCount: 1_000_000 } },
    });
  });

  test("S5-038 what a host's error holds is cut too", async () => {
    const { send } = await start({
      authorizeRequest: () => {
        const details = { words: "y".repeat(5_000_000) };
        throw new WorkflowError("FORBIDDEN", "x".repeat(5_000_000), details);
      },
    });
    const answer = await send("GET", "/workflows");
    expect(answer.status).toBe(403);
    expect(text(answer).length).toBeLessThan(64 * 1024);
  });

  test("S5-038 a URL that cannot be read is refused, whatever made it", async () => {
    const { engine } = await start({ open: true });
    const request = new Request("https://shop.test/api/workflows/workflows");
    Object.defineProperty(request, "url", { value: "http://[/api/workflows/workflows" });
    expect((await toAnswer(await engine.fetch(request))).status).toBe(400);
  });
});
