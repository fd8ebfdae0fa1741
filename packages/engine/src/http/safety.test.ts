/** Who may do what over HTTP, with a real engine and a real store. */
import { describe, expect, test } from "vitest";
import { bearerAuth } from "./bearer-auth.ts";
import { listRoutes } from "./routes.ts";
import { OUTPUT, PATH, type Subject, start } from "./testing-safety.ts";

const SECRET = "Zq8Jb2Xw0Rk5Vt7Ym1Lp4Nc6";

const pathOf = (path: string): string =>
  path.replace(":workflowName", "order").replace(":instanceId", "done");
/** Callbacks have their own token: `callbacks.test.ts`. */
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

describe("S5-039 each policy guards its routes", () => {
  const guards = MANAGEMENT.flatMap(([name, route]) =>
    [route.policy, route.also].flatMap((policy) =>
      policy === undefined ? [] : [[name, policy, route] as const],
    ),
  );

  test.each(guards)("S5-039 %s is closed to whom %s refuses", async (_name, policy, route) => {
    const refuse = (): Response => new Response("no", { status: 403 });
    const { send } = await start({ open: true, policies: { [policy]: refuse } });
    expect(await send(route.method, pathOf(route.path))).toMatchObject({ status: 403, body: "no" });
  });

  // A host that distinguishes workflows in `read` gets none here.
  const ofAll = MANAGEMENT.filter(([name, { path }]) => {
    const isOfOne = path.includes(":workflowName") || name === "listWorkflows" || name === "emit";
    return !isOfOne;
  });
  test.each(ofAll)("S5-039 %s is about all workflows, and is for view too", (_name, route) => {
    expect([route.policy, route.also]).toContain("view");
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
