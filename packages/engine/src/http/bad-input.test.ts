import { describe, expect, it } from "vitest";
import { createTestingClient, INSTANCES, TESTING_SECRET } from "./testing-client.ts";
import { json, sendInvalid } from "./testing-bad-input.ts";

const bearer = { authorization: `Bearer ${TESTING_SECRET}` };

describe("paths", () => {
  it.each([
    "/",
    "/nothing",
    "/workflows/ORDER",
    "/workflows//instances",
    "/workflows/ORDER/instances/a/b/c",
    "/workflows/ORDER/instances/../../../etc/passwd",
    "/_runner",
    "/__proto__",
  ])("unknown route %s is ROUTE_NOT_FOUND", async (path) => {
    expect(await sendInvalid("GET", path)).toMatchObject({ status: 404, code: "ROUTE_NOT_FOUND" });
  });

  it("a caller with the wrong prefix is told the right one", async () => {
    const answer = await createTestingClient().fetch(
      new Request("http://host.test/jobs/workflows"),
    );
    expect(answer).toMatchObject({
      status: 404,
      body: { message: expect.stringContaining("begin with /api/workflows/workflows") },
    });
  });

  it.each([
    ["PUT", `${INSTANCES}/a`, "GET, DELETE"],
    ["PUT", INSTANCES, "GET, POST"],
    ["GET", `${INSTANCES}/a/pause`, "POST"],
    ["POST", `${INSTANCES}/a/history`, "GET"],
    ["PATCH", "/_runner/tick", "POST, GET"],
    ["PUT", `${INSTANCES}/batch`, "POST, GET, DELETE"],
    ["OPTIONS", "/workflows", "GET"],
  ])("%s %s is METHOD_NOT_ALLOWED and Allow says %s", async (method, path, allow) => {
    const answer = await sendInvalid(method, path);
    expect(answer).toMatchObject({ status: 405, code: "METHOD_NOT_ALLOWED" });
    expect(answer.headers.get("allow")).toBe(allow);
  });

  it.each(["%zz", "%", "%E0%A4%A", "%C0%AF", "%ff"])(
    "broken percent-encoding %s is INVALID_REQUEST",
    async (segment) => {
      for (const path of [`/workflows/${segment}/instances`, `${INSTANCES}/${segment}`]) {
        const answer = await sendInvalid("GET", path);
        expect(answer).toMatchObject({ status: 400, code: "INVALID_REQUEST" });
        expect(answer.body).toMatchObject({ error: { details: { issues: [{ path: "url" }] } } });
      }
    },
  );

  it.each([
    "..%2Fa",
    "%2e%2e%2f",
    "a%00b",
    "%F0%9F%98%80",
    "a%20b",
    "-a",
    "x".repeat(101),
    "%2525",
    "__proto__.",
  ])("instance id %s is INVALID_INSTANCE_ID", async (id) => {
    for (const [method, rest] of [
      ["GET", ""],
      ["POST", "/pause"],
      ["GET", "/history"],
    ] as const) {
      const answer = await sendInvalid(method, `${INSTANCES}/${id}${rest}`);
      expect(answer).toMatchObject({ status: 400, code: "INVALID_INSTANCE_ID" });
    }
  });

  it.each(["__proto__", "constructor", "toString", "%F0%9F%98%80", "a%2Fb", "..%2f"])(
    "workflow name %s is WORKFLOW_NOT_FOUND",
    async (name) => {
      const answer = await sendInvalid("GET", `/workflows/${name}/instances`);
      expect(answer).toMatchObject({ status: 404, code: "WORKFLOW_NOT_FOUND" });
    },
  );
});

describe("query strings", () => {
  it.each([
    ["instances", "pageSize=0", "an integer from 1 to 100"],
    ["instances", "pageSize=101", "an integer from 1 to 100"],
    ["instances", "pageSize=1e1", "an integer from 1 to 100"],
    ["instances", "pageSize=-1", "an integer from 1 to 100"],
    ["instances", "pageSize=", "an integer from 1 to 100"],
    ["instances", "pageSize=%zz", "an integer from 1 to 100"],
    ["instances", "pageSize=99999999999999999999", "an integer from 1 to 100"],
    ["instances", "status=unknown", '("queued" | "running" | "waiting"'],
    ["instances", "status=__proto__", '("queued" | "running" | "waiting"'],
    ["instances/a/history", "pageSize=1001", "an integer from 1 to 1000"],
    ["instances/a/history", "runNumber=0", "an integer of at least 1"],
    ["instances/a/history", "runNumber=1.5", "an integer of at least 1"],
    ["instances/a/history", "pageSize=NaN", "an integer from 1 to 100"],
  ])("%s?%s is INVALID_REQUEST and says what was expected", async (path, query, expected) => {
    const answer = await sendInvalid("GET", `/workflows/ORDER/${path}?${query}`);
    expect(answer).toMatchObject({ status: 400, code: "INVALID_REQUEST" });
    const field = `query.${query.split("=")[0]}`;
    const issue = { path: field, expected: expect.stringContaining(expected) };
    expect(answer.body).toMatchObject({ error: { details: { issues: [issue] } } });
  });

  it("every wrong parameter is listed", async () => {
    const { body } = await sendInvalid("GET", `${INSTANCES}?pageSize=x&status=y`);
    const issues = [{ path: "query.status" }, { path: "query.pageSize" }];
    expect(body).toMatchObject({ error: { details: { issues } } });
  });

  it("a tick by GET checks its limits", async () => {
    const answer = await sendInvalid("GET", "/_runner/tick?maxSteps=0", undefined, bearer);
    expect(answer).toMatchObject({ status: 400, code: "INVALID_REQUEST" });
  });
});

describe("bodies", () => {
  it.each(["{", "nope", "{}}", "{'id':1}", "\u0000", "[1,]", "NaN", '{"id":"a"'])(
    "malformed JSON %j is INVALID_REQUEST",
    async (body) => {
      const answer = await sendInvalid("POST", INSTANCES, body);
      expect(answer).toMatchObject({ status: 400, code: "INVALID_REQUEST" });
      const issues = [{ path: "body", expected: "JSON in UTF-8" }];
      expect(answer.body).toMatchObject({ error: { details: { issues } } });
    },
  );

  it.each([
    ["[]", "body"],
    ["null", "body"],
    ["5", "body"],
    ['"a"', "body"],
    ['{"id":5}', "body.id"],
    ['{"id":null}', "body.id"],
    ['{"id":"a","parms":{}}', "body.parms"],
    ['{"id":"a","onExisting":"explode"}', "body.onExisting"],
    ['{"__proto__":{"id":"a"}}', "body.__proto__"],
    ['{"constructor":{}}', "body.constructor"],
    ['{"toString":1}', "body.toString"],
  ])("create with %s names %s", async (text, path) => {
    const answer = await sendInvalid("POST", INSTANCES, text);
    expect(answer).toMatchObject({ status: 400, code: "INVALID_REQUEST" });
    expect(answer.body).toMatchObject({ error: { details: { issues: [{ path }] } } });
  });

  it.each([
    ["{}", "body.instances"],
    ['{"instances":{}}', "body.instances"],
    ['{"instances":[{"id":"a"},{}]}', "body.instances.1.id"],
    ['{"instances":[[]]}', "body.instances.0.id"],
    ['{"instances":[null]}', "body.instances.0"],
    ['{"instances":[{"id":"a","onExisting":"return"}]}', "body.instances.0.onExisting"],
  ])("batch with %s names %s", async (text, path) => {
    const answer = await sendInvalid("POST", `${INSTANCES}/batch`, text);
    expect(answer.body).toMatchObject({ error: { details: { issues: [{ path }] } } });
  });

  it.each([
    ["maxInstances", 0],
    ["maxInstances", 1.5],
    ["maxSteps", "3"],
    ["maxSteps", 1e300],
    ["deadline", 5],
  ])("tick with %s %s is INVALID_REQUEST", async (field, value) => {
    const answer = await sendInvalid("POST", "/_runner/tick", { [field]: value }, bearer);
    const issues = [{ path: `body.${field}` }];
    expect(answer.body).toMatchObject({ code: "INVALID_REQUEST", error: { details: { issues } } });
  });

  it("a received value is cut short and issues are limited in number", async () => {
    const instances = Array.from({ length: 100 }, () => "x".repeat(1000));
    const answer = await sendInvalid("POST", `${INSTANCES}/batch`, { instances });
    expect(answer.code).toBe("INVALID_REQUEST");
    expect(JSON.stringify(answer.body).length).toBeLessThan(20_000);
  });

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "",
    "application/jsonx",
  ])("a body of content type %j is refused", async (type) => {
    const answer = await sendInvalid("POST", INSTANCES, '{"id":"a"}', { "content-type": type });
    expect(answer).toMatchObject({ status: 400, code: "INVALID_REQUEST" });
    const issues = [{ path: "header.content-type", expected: "application/json" }];
    expect(answer.body).toMatchObject({ error: { details: { issues } } });
  });

  it.each(["application/json; charset=utf-8", "Application/JSON", "application/cloudevents+json"])(
    "a body of content type %s is read",
    async (type) => {
      const client = createTestingClient();
      const answer = await client.send("POST", INSTANCES, '{"id":"a"}', { "content-type": type });
      expect(answer.status).toBe(200);
    },
  );

  it.each(["gzip", "br", "deflate, gzip", "x"])(
    "a body packed by %s is refused",
    async (packed) => {
      const answer = await sendInvalid("POST", INSTANCES, '{"id":"a"}', {
        "content-type": "application/json",
        "content-encoding": packed,
      });
      expect(answer).toMatchObject({ status: 400, code: "INVALID_REQUEST" });
      const issues = [{ path: "header.content-encoding", received: packed }];
      expect(answer.body).toMatchObject({ error: { details: { issues } } });
    },
  );

  it.each(["", "identity", "Identity"])("a body that is %j is read", async (said) => {
    const headers = { "content-encoding": said };
    const answer = await createTestingClient().send("POST", INSTANCES, { id: "a" }, headers);
    expect(answer.status).toBe(200);
  });

  it("a field that nothing reads is said to be unknown", async () => {
    const answer = await sendInvalid("POST", INSTANCES, '{"id":"a","parms":1}');
    expect(answer.body).toMatchObject({
      error: {
        message: expect.stringContaining("body.parms: unknown field; expected "),
        details: {
          issues: [
            {
              path: "body.parms",
              message: expect.stringMatching(/^unknown field; expected .*\bparams\b/u),
              expected: "no such field",
              received: "one",
            },
          ],
        },
      },
    });
  });

  it("bytes that are not UTF-8 are refused", async () => {
    const client = createTestingClient();
    // {"id":"a","params":"…"} with a byte that begins no character.
    const text = new TextEncoder().encode('{"id":"a","params":"?"}');
    const body = text.map((byte) => (byte === 0x3f ? 0xff : byte));
    const url = `http://host.test/api/workflows${INSTANCES}`;
    const answer = await client.fetch(new Request(url, { method: "POST", headers: json, body }));
    expect(answer).toMatchObject({ status: 400, code: "INVALID_REQUEST" });
  });

  it("NUL, lone surrogates and prototype keys in params are data like any other", async () => {
    const client = createTestingClient();
    const text = '{"id":"a","params":{"__proto__":{"x":1},"nul":"\\u0000","half":"\\ud800"}}';
    expect((await client.send("POST", INSTANCES, text)).status).toBe(200);
    await client.service.tick();
    await client.service.sendEvent("ORDER", "a", { type: "approve" });
    await client.service.tick();
    const { body } = await client.send("GET", `${INSTANCES}/a`);
    expect(JSON.stringify(body)).toContain(
      '{"__proto__":{"x":1},"nul":"\\u0000","half":"\\ud800"}',
    );
    expect("x" in {}).toBe(false);
  });
});
