/** Who may do what over HTTP, on a real engine over a real store. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { applyRecommendedPragmas, createSqliteDatabase } from "@escapement/db/sqlite";
import LibsqlConnection from "libsql";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import { WorkflowError } from "../core/errors.ts";
import { createEngine } from "../verbs/engine.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createSqlStore, migrate } from "../stores/sql/index.ts";
import { bearerAuth } from "./bearer-auth.ts";
import type { FetchHandlerOptions } from "./options.ts";
import { listRoutes } from "./routes.ts";
import { toAnswer, type Answer } from "./testing-client.ts";

const SECRET = "Zq8Jb2Xw0Rk5Vt7Ym1Lp4Nc6";
const OUTPUT = "what only readers may see";
const PATH = "/workflows/order/instances";

const order = defineWorkflow(
  { name: "order", schema: z.object({ sum: z.number() }).optional() },
  (event, step) => {
    if (event.instanceId === "failed") throw new WorkflowError("NON_RETRYABLE", OUTPUT);
    return step.do("charge", () => OUTPUT);
  },
);

interface LogLine {
  readonly level: string;
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

interface Subject {
  readonly log: readonly LogLine[];
  readonly engine: ReturnType<typeof open>;
  send(method: string, path: string, options?: SendOptions): Promise<Answer>;
}

interface SendOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const open = (
  store: ReturnType<typeof createSqlStore>,
  http: FetchHandlerOptions,
  log: LogLine[],
) =>
  createEngine({
    workflows: { ORDER: order },
    store,
    http,
    logger: { log: (level, event, fields) => void log.push({ level, event, fields }) },
  });

/** With instances `done` and `failed`. */
async function start(http: FetchHandlerOptions = {}): Promise<Subject> {
  const connection = new LibsqlConnection(":memory:");
  applyRecommendedPragmas(connection);
  const database = createSqliteDatabase(connection);
  await migrate(database);
  const log: LogLine[] = [];
  const engine = open(createSqlStore({ database }), http, log);
  for (const id of ["done", "failed"]) await engine.createInstance("order", { id });
  await engine.tick();
  log.length = 0;
  const send: Subject["send"] = async (method, path, { body, headers = {} } = {}) => {
    const url = `https://shop.test/api/workflows${path}`;
    const content = { "content-type": "application/json", ...headers };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    return toAnswer(await engine.fetch(new Request(url, { method, headers: content, ...text })));
  };
  return { log, engine, send };
}

const pathOf = (path: string): string =>
  path.replace(":workflowName", "order").replace(":instanceId", "done");
/** Callbacks bring a token of their own: `callbacks.test.ts`. */
const ROUTES = listRoutes().filter(([, { policy }]) => policy !== "callback");
const MANAGEMENT = ROUTES.filter(([, { policy }]) => policy !== "tick");
const CHANGING = ROUTES.filter(([, { policy }]) => policy !== "read" && policy !== "view");
const statusOfDone = async ({ engine }: Subject): Promise<string> =>
  (await engine.getInstance("order", "done")).details.status;

describe("S5-035 closed until somebody decides who may pass", () => {
  test.each(MANAGEMENT)("S5-035 %s answers 401 without an authorizer", async (_name, route) => {
    const subject = await start();
    const answer = await subject.send(route.method, pathOf(route.path), {
      headers: { authorization: "Bearer undefined" },
    });
    expect(answer).toMatchObject({ status: 401, code: "UNAUTHORIZED" });
    expect(JSON.stringify(answer.body)).not.toContain(OUTPUT);
    expect(await statusOfDone(subject)).toBe("complete");
    expect((await subject.engine.listInstances("order", {})).instances).toHaveLength(2);
  });

  test("S5-035 one warning says what is closed, where the API is first asked for, and how to open it", async () => {
    const { log, send, engine } = await start();
    expect(log).toEqual([]);
    void engine.fetch;
    await send("GET", "/workflows");
    await send("GET", "/workflows");
    expect(log).toMatchObject([
      {
        level: "warn",
        event: "http.closed",
        fields: { policies: ["create", "manage", "delete", "events", "read", "view"], status: 401 },
      },
    ]);
    expect(log[0]?.fields["remedy"]).toContain("bearerAuth");
  });

  test("S5-035 open: true opens, and one warning names what is open", async () => {
    const { log, send } = await start({ open: true });
    expect(await send("GET", `${PATH}/done`)).toMatchObject({ status: 200 });
    expect(await send("POST", PATH, { body: { id: "new" } })).toMatchObject({ status: 200 });
    expect(log).toMatchObject([
      {
        level: "warn",
        event: "http.open",
        fields: { policies: ["create", "manage", "delete", "events", "read", "view"] },
      },
    ]);
  });

  test("S5-035 a policy opens its own routes and no others", async () => {
    const { log, send } = await start({ policies: { read: () => undefined } });
    expect(await send("GET", `${PATH}/done`)).toMatchObject({ status: 200 });
    expect(await send("POST", PATH, { body: {} })).toMatchObject({ status: 401 });
    expect(log).toMatchObject([
      {
        event: "http.closed",
        fields: { policies: ["create", "manage", "delete", "events", "view"] },
      },
    ]);
  });

  test("S5-035 with bearerAuth its holders pass, nobody else does, and nothing is warned of", async () => {
    const { log, send } = await start({ authorizeRequest: bearerAuth(SECRET) });
    const headers = { authorization: `Bearer ${SECRET}` };
    expect(await send("GET", `${PATH}/done`, { headers })).toMatchObject({ status: 200 });
    const stranger = await send("GET", `${PATH}/done`);
    expect(stranger).toMatchObject({ status: 401, code: "UNAUTHORIZED" });
    expect(stranger.headers.get("www-authenticate")).toBe("Bearer");
    expect(log).toEqual([]);
  });

  test("S5-035 only true opens", async () => {
    for (const given of ["false", 1, "true", {}]) {
      const { send } = await start({ open: given as unknown as true });
      expect(await send("GET", "/workflows")).toMatchObject({ status: 401 });
    }
  });
});

describe("S5-037 other sites' pages change nothing", () => {
  const FOREIGN = [
    { "sec-fetch-site": "cross-site", origin: "https://evil.test" },
    { "sec-fetch-site": "same-site", origin: "https://other.shop.test" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "anything new" },
    { origin: "https://evil.test" },
    { origin: "null" },
    { origin: "https://shop.test:8443" },
    { origin: "https://shop.test.evil.test" },
  ];
  const OWN = [
    {},
    { "sec-fetch-site": "same-origin", origin: "https://shop.test" },
    { "sec-fetch-site": "none" },
    { origin: "https://shop.test" },
    { origin: "http://shop.test", host: "shop.test" },
    { "sec-fetch-site": "cross-site", origin: "https://admin.shop.test" },
  ];
  const tick = { bearerSecret: SECRET };
  const headers = { authorization: `Bearer ${SECRET}` };

  test.each(CHANGING)("S5-037 %s refuses them, whatever they bring", async (_name, route) => {
    const subject = await start({ open: true, tick, trustedOrigins: ["https://admin.shop.test"] });
    for (const foreign of FOREIGN) {
      const answer = await subject.send(route.method, pathOf(route.path), {
        headers: { ...headers, ...foreign },
      });
      expect(answer, JSON.stringify(foreign)).toMatchObject({
        status: 403,
        code: "CROSS_SITE_REQUEST",
      });
    }
    expect(await statusOfDone(subject)).toBe("complete");
    for (const own of OWN) {
      const answer = await subject.send(route.method, pathOf(route.path), {
        headers: { ...headers, ...own },
      });
      expect(answer.code, JSON.stringify(own)).not.toBe("CROSS_SITE_REQUEST");
    }
  });

  test("S5-037 reading is the same-origin policy's business", async () => {
    const { send } = await start({ open: true });
    const answer = await send("GET", `${PATH}/done`, {
      headers: { "sec-fetch-site": "cross-site" },
    });
    expect(answer.status).toBe(200);
  });

  test.each(["https://shop.test/", "shop.test", "*", "", "HTTPS://SHOP.TEST"])(
    "S5-037 a trusted origin of %j is refused at the start",
    async (origin) => {
      await expect(start({ trustedOrigins: [origin] })).rejects.toMatchObject({
        code: "DEPLOY_OPTIONS_INVALID",
      });
    },
  );
});

describe("S5-039 authorization comes first", () => {
  test.each(MANAGEMENT)(
    "S5-039 %s reads nothing of a stranger's body, and tells the real URL",
    async (_name, route) => {
      const urls: string[] = [];
      const { engine } = await start({
        authorizeRequest: ({ request }) => {
          urls.push(request.url);
          return new Response("no", { status: 401 });
        },
      });
      let pulled = 0;
      const body = new ReadableStream<Uint8Array>(
        { pull: (controller) => controller.enqueue(new Uint8Array(1024).fill((pulled += 1))) },
        { highWaterMark: 0 },
      );
      const url = `https://shop.test/api/workflows${pathOf(route.path)}?a=1`;
      const { method } = route;
      const init: RequestInit & { readonly duplex: "half" } = { method, duplex: "half" };
      const withBody = method === "POST" ? { ...init, body } : init;
      const answer = await engine.fetch(new Request(url, withBody));
      expect([answer.status, pulled, urls]).toEqual([401, 0, [url]]);
    },
  );

  test("S5-039 a tick's body is not read before the bearer is known, by either handler", async () => {
    let pulled = 0;
    const { engine } = await start({ tick: { bearerSecret: SECRET } });
    const body = new ReadableStream<Uint8Array>(
      { pull: () => void (pulled += 1) },
      { highWaterMark: 0 },
    );
    const url = "https://shop.test/api/workflows/_runner/tick";
    const init: RequestInit & { readonly duplex: "half" } = {
      method: "POST",
      body,
      duplex: "half",
    };
    expect((await engine.fetch(new Request(url, init))).status).toBe(401);
    expect(pulled).toBe(0);
  });
});

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
