/** The host is asked before Fragno reads a body. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineWorkflow } from "./authoring.ts";
import { openScene, type Scene } from "./testing-scene.ts";
import { EMBEDDED } from "./testing-step-tx.ts";
import { createWorkflowsFragment } from "./create-fragment.ts";
import { defaultFragnoRuntime } from "./runtime.ts";
import { createFragnoAdapter } from "../adapter/adapter.ts";

const workflows = {
  ORDER: defineWorkflow({ name: "order" }, async (event) => event.payload ?? null),
} as const;
const API = "https://shop.test/api/workflows";
const LIST = `${API}/workflows/order/instances`;

/** An endless body that counts how much of it was read. */
function watchedBody(): {
  readonly body: ReadableStream<Uint8Array>;
  readonly pulled: () => number;
} {
  let pulled = 0;
  const chunk = new Uint8Array(64 * 1024).fill(0x20);
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    pulled += 1;
    controller.enqueue(chunk);
  };
  return { body: new ReadableStream({ pull }, { highWaterMark: 0 }), pulled: () => pulled };
}

const post = (url: string, body?: BodyInit, headers: Record<string, string> = {}): Request => {
  const init: RequestInit & { readonly duplex: "half" } = { method: "POST", duplex: "half" };
  const content = { "content-type": "application/json", ...headers };
  return new Request(url, { ...init, headers: content, ...(body === undefined ? {} : { body }) });
};

describe("the fragment's door", () => {
  let scene: Scene<typeof workflows>;
  const asked: string[] = [];
  beforeAll(async () => {
    scene = await openScene(EMBEDDED, {
      workflows,
      http: {
        tick: { bearerSecret: "Zq8Jb2Xw0Rk5Vt7Ym1Lp4Nc6" },
        authorizeRequest: ({ request }) => {
          asked.push(request.url);
          return request.headers.has("x-stranger")
            ? new Response("no", { status: 401 })
            : undefined;
        },
        policies: {
          read: ({ params }) =>
            params["instanceId"] === "secret" ? new Response("no", { status: 403 }) : undefined,
        },
      },
    });
    await scene.fragment.engine.createInstance("order", { id: "a" });
    await scene.fragment.engine.createInstance("order", { id: "secret", params: "secret params" });
    await scene.fragment.engine.tick();
  });
  afterAll(() => scene.close());

  test.each(["", "/batch", "/a/events", "/a/pause"])(
    "S5-039 nothing of a stranger's body is read, and the check sees the real URL: POST instances%s",
    async (path) => {
      asked.length = 0;
      const { body, pulled } = watchedBody();
      const url = `${LIST}${path}?a=%20b`;
      const answer = await scene.fragment.handler(post(url, body, { "x-stranger": "1" }));
      expect([answer.status, pulled(), asked]).toEqual([401, 0, [url]]);
    },
  );

  test("S5-039 a tick's body is not read before its secret is known", async () => {
    const { body, pulled } = watchedBody();
    const answer = await scene.fragment.handler(post(`${API}/_runner/tick`, body));
    expect([answer.status, pulled()]).toEqual([401, 0]);
  });

  test("S5-039 of those who are let in no more is read than the limit", async () => {
    const { body, pulled } = watchedBody();
    const answer = await scene.fragment.handler(post(LIST, body));
    expect(answer.status).toBe(413);
    expect(pulled()).toBeLessThan(40);
  });

  test("S5-039 the frameworks' handlers have the door too", async () => {
    const { body, pulled } = watchedBody();
    const { POST } = scene.fragment.handlersFor("next-js");
    const answer = await POST(post(LIST, body, { "x-stranger": "1" }));
    expect([answer.status, pulled()]).toEqual([401, 0]);
  });

  test("S5-038 a body of too many values is refused before anybody parses it", async () => {
    const text = `{"instances":[${"0,".repeat(600_000)}0]}`;
    const answer = await scene.fragment.handler(post(`${LIST}/batch`, text));
    expect(answer.status).toBe(400);
    expect((await answer.text()).length).toBeLessThan(2000);
  });

  test("S5-040 what may not be read is not told by a create", async () => {
    const body = JSON.stringify({ id: "secret", onExisting: "return" });
    const answer = await scene.fragment.handler(post(LIST, body));
    expect(answer.status).toBe(409);
    expect(await answer.text()).not.toContain("secret params");
  });

  test("a forged ticket is worth nothing", async () => {
    const headers = { "x-stranger": "1", "x-escapement-ticket": crypto.randomUUID() };
    expect((await scene.fragment.handler(post(LIST, "{}", headers))).status).toBe(401);
  });

  test("HEAD answers as GET, without a body", async () => {
    const answer = await scene.fragment.handler(new Request(`${LIST}/a`, { method: "HEAD" }));
    expect([answer.status, await answer.text()]).toEqual([200, ""]);
  });
});

test("S5-035 without an authorizer the fragment's routes answer 401, the host's own calls pass, and one warning says so", async () => {
  const scene = await openScene(EMBEDDED, { workflows });
  const events: string[] = [];
  const fragment = createWorkflowsFragment(
    {
      workflows,
      runtime: defaultFragnoRuntime,
      logger: { log: (_level, event) => void events.push(event) },
    },
    { databaseAdapter: createFragnoAdapter({ database: scene.database }) },
  );
  expect((await fragment.handler(new Request(`${API}/workflows`))).status).toBe(401);
  expect(await fragment.callRoute("GET", "/workflows")).toMatchObject({ status: 200 });
  expect(events.filter((event) => event.startsWith("http."))).toEqual(["http.closed"]);
  await scene.close();
});

test("middleware that leads a request to another instance does not lead it past the policies", async () => {
  const scene = await openScene(EMBEDDED, {
    workflows,
    http: {
      policies: {
        read: ({ params }) =>
          params["instanceId"] === "secret" ? new Response("no", { status: 403 }) : undefined,
      },
    },
  });
  await scene.fragment.engine.createInstance("order", { id: "secret" });
  scene.fragment.withMiddleware(async ({ pathParams }) => {
    pathParams["instanceId"] = "secret";
    return undefined;
  });
  const answer = await scene.fragment.handler(new Request(`${LIST}/a`));
  expect(answer.status).toBe(403);
  await scene.close();
});
