import { gzipSync } from "node:zlib";
import type { Engine } from "@escapement/engine";
import { createHarness } from "@escapement/engine/testing";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { ASSETS } from "./generated-assets.ts";
import { dashboard, passwordAuth, withDashboard } from "./index.ts";
import type { DashboardOptions } from "./options.ts";
import { openScene } from "./testing-scene.ts";

const ORIGIN = "https://shop.example";
const PASSWORD = "kT8w2Zq9vLr4XbN7mPc3JhYd";
const open = { authorize: () => true };
let engine: Engine;

beforeAll(async () => {
  engine = await openScene();
});

/** Asks for a path below the dashboard's. */
function ask(path: string, options: Partial<DashboardOptions> = {}, init?: RequestInit) {
  return dashboard(engine, { ...open, ...options })(
    new Request(`${ORIGIN}/dashboard${path}`, init),
  );
}

describe("who may see it", () => {
  test("without authorize it does not start", () => {
    const start = () => dashboard(engine, {} as DashboardOptions);
    expect(start).toThrow(expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID" }));
  });

  test.each([
    ["allow", { allow: ["rule" as "steer"] }],
    ["workflows", { workflows: null as unknown as Record<string, never> }],
    ["path", { path: "no slash" }],
    ["path", { path: "/a/<b>" }],
  ] as const)("an option that cannot work is refused at the start: %s %o", (_name, options) => {
    expect(() => dashboard(engine, { ...open, ...options })).toThrow(
      expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID" }),
    );
  });

  test("an option that is misspelt is refused at the start", () => {
    const options = { ...open, alow: [] } as DashboardOptions;
    expect(() => dashboard(engine, options)).toThrow(
      expect.objectContaining({ code: "UNKNOWN_OPTION" }),
    );
  });

  test.each(["", "/instances", "/assets/x.js", "/api/instances", "/api/workflows"])(
    "only a clear yes opens %s",
    async (path) => {
      const no = [false, undefined, null, 1, "yes", {}] as unknown as boolean[];
      for (const verdict of no) {
        const { status } = await ask(path, { authorize: () => verdict });
        expect(status).toBe(401);
      }
      const thrown = await ask(path, { authorize: () => Promise.reject(new Error("no session")) });
      expect(thrown.status).toBe(401);
      expect(await thrown.text()).not.toContain("no session");
    },
  );

  test("a Response of authorize is given instead, also where it is thrown", async () => {
    const toSignIn = () => Response.redirect(`${ORIGIN}/sign-in`);
    expect((await ask("/", { authorize: toSignIn })).status).toBe(302);
    expect((await ask("/", { authorize: () => Promise.reject(toSignIn()) })).status).toBe(302);
  });

  test("a password makes the browser ask, and is looked at behind the first colon", async () => {
    const authorize = passwordAuth(PASSWORD);
    const asked = await ask("/", { authorize });
    expect([asked.status, asked.headers.get("www-authenticate")]).toEqual([
      401,
      expect.stringMatching(/^Basic /),
    ]);
    const sent = async (text: string): Promise<number> =>
      (await ask("/", { authorize }, { headers: { authorization: `Basic ${text}` } })).status;
    expect(await sent(btoa(`ann:${PASSWORD}`))).toBe(200);
    expect(await sent(btoa(`:${PASSWORD}`))).toBe(200);
    for (const wrong of [
      btoa(PASSWORD),
      btoa(`ann:${PASSWORD}x`),
      btoa(`${PASSWORD}:ann`),
      "%%",
      "A",
    ])
      expect(await sent(wrong)).toBe(401);
  });

  test("a password that is missing or weak does not start", () => {
    for (const weak of [undefined, "", "short", "a".repeat(40)])
      expect(() => passwordAuth(weak)).toThrow(
        expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID" }),
      );
  });
});

describe("what it may do", () => {
  const INSTANCE = "/api/workflows/order/instances/order-waits";
  const post = { method: "POST" };

  test.each(["pause", "resume", "cancel", "terminate", "restart", "retry", "rewind"])(
    "it is read-only: %s is refused",
    async (verb) => {
      expect((await ask(`${INSTANCE}/${verb}`, {}, post)).status).toBe(403);
      expect(
        (await ask(`${INSTANCE}/${verb}`, { allow: ["events", "payloads"] }, post)).status,
      ).toBe(403);
    },
  );

  test.each([
    ["POST", `${INSTANCE}/events`],
    ["POST", `${INSTANCE}/fork`],
    ["POST", `${INSTANCE}/update`],
    ["POST", `${INSTANCE}/restart-or-create`],
    ["POST", "/api/workflows/order/instances"],
    ["POST", "/api/workflows/order/instances/batch"],
    ["POST", "/api/topics/any"],
    ["POST", "/api/callbacks/any"],
    ["POST", "/api/_runner/tick"],
    ["GET", "/api/_runner/tick"],
    ["GET", `${INSTANCE}/stream`],
  ])("%s %s is closed", async (method, path) => {
    const body =
      method === "POST" ? { body: "{}", headers: { "content-type": "application/json" } } : {};
    expect([401, 403]).toContain(
      (await ask(path, { allow: ["steer"] }, { method, ...body })).status,
    );
  });

  test.each([
    ["start", "POST", "/api/workflows/order/instances", { id: "by-hand" }],
    ["start", "POST", `${INSTANCE}/fork`, { step: "charge card", id: "by-fork" }],
    ["delete", "DELETE", "/api/workflows/order/instances/by-fork", undefined],
  ] as const)("%s opens %s %s, and nothing else does", async (verb, method, path, sent) => {
    const others = ["start", "steer", "events", "delete", "payloads"] as const;
    const json = { "content-type": "application/json" };
    const init = sent ? { method, headers: json, body: JSON.stringify(sent) } : { method };
    const allow = others.filter((other) => other !== verb);
    expect((await ask(path, { allow }, init)).status).toBe(403);
    const answer = await ask(path, { allow: [verb] }, init);
    // The fork is not deleted while it is on its way.
    expect(answer.status).toBe(verb === "delete" ? 409 : 200);
    expect(await answer.text()).not.toContain("secret-");
  });

  const orders = { workflows: ["order"], idPrefix: "nobody" };
  test.each([
    ["steer", "/api/bulk", { act: "pause", ...orders }, 200],
    ["delete", "/api/bulk/delete", orders, 200],
    ["steer", "/api/bulk/nobody/cancel", undefined, 404],
  ] as const)(
    "%s opens the jobs of %s, and nothing else does",
    async (verb, path, sent, status) => {
      const others = ["start", "steer", "events", "delete", "payloads"] as const;
      const json = { "content-type": "application/json" };
      const init = { method: "POST", headers: json, ...(sent && { body: JSON.stringify(sent) }) };
      const allow = others.filter((other) => other !== verb);
      expect((await ask(path, { allow }, init)).status).toBe(403);
      expect((await ask(path, { allow: [verb] }, init)).status).toBe(status);
    },
  );

  test("a job that deletes is not begun by the route of those that steer", async () => {
    const json = { "content-type": "application/json" };
    const init = { method: "POST", headers: json, body: '{"act":"delete","workflows":["order"]}' };
    expect((await ask("/api/bulk", { allow: ["steer"] }, init)).status).toBe(400);
  });

  test("what a job would do is told to who looks", async () => {
    const json = { "content-type": "application/json" };
    const init = { method: "POST", headers: json, body: '{"act":"retry","workflows":["import"]}' };
    const answer = await ask("/api/bulk/preview", {}, init);
    expect(await answer.json()).toMatchObject({ act: "retry", refusedCount: 0 });
    expect((await ask("/api/bulk")).status).toBe(200);
  });

  test("the page has jobs where the engine has, which is asked once", async () => {
    const without = createHarness({ workflows: {} }).engine;
    const asked = vi.spyOn(engine, "listBulks");
    const shown = dashboard(engine, open);
    for (const isFirst of [true, false]) {
      const page = await shown(new Request(`${ORIGIN}/dashboard`));
      expect([isFirst, await page.text()]).toEqual([isFirst, expect.stringContaining("data-bulk")]);
    }
    expect(asked).toHaveBeenCalledTimes(1);
    const page = await dashboard(without, open)(new Request(`${ORIGIN}/dashboard`));
    expect(await page.text()).not.toContain("data-bulk");
  });

  test("an instance is described, with its params where payloads are asked for", async () => {
    const path = `${INSTANCE}/describe`;
    const described = await (await ask(path)).json();
    expect(described).toMatchObject({
      workflowName: "order",
      currentSteps: [{ type: "waitForEvent" }],
    });
    expect(described).not.toHaveProperty("params");
    expect((await ask(`${path}?reveal=1`)).status).toBe(403);
    const shown = await ask(`${path}?reveal=1`, { allow: ["payloads"] });
    expect(await shown.text()).toContain("secret-sku");
  });

  test("another site's page cannot steer, whatever the visitor is signed in with", async () => {
    const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    const answer = await ask(`${INSTANCE}/pause`, { allow: ["steer"] }, { ...post, headers });
    expect([answer.status, await answer.json()]).toEqual([
      403,
      expect.objectContaining({ code: "CROSS_SITE_REQUEST" }),
    ]);
  });

  test("payloads leave the server where they are allowed and asked for", async () => {
    const paths = ["/api/instances", "/api/workflows/order/instances/order-done"];
    paths.push(`${paths[1]}/history`);
    const secret = /secret-/;
    for (const path of paths) {
      for (const options of [{}, { allow: ["payloads"] } as const])
        expect(await (await ask(path, options)).text()).not.toMatch(secret);
      expect((await ask(`${path}?reveal=1`)).status).toBe(403);
      const shown = await ask(`${path}?reveal=1`, { allow: ["payloads"] });
      expect(await shown.text()).toMatch(secret);
    }
  });

  test("what is done answers without payloads", async () => {
    const path = "/api/workflows/order/instances/order-done/pause";
    const answer = await ask(path, { allow: ["steer", "payloads"] }, post);
    expect(await answer.text()).not.toContain("secret-");
  });
});

describe("forms", () => {
  const schema = (told: unknown): object => ({
    "~standard": { jsonSchema: { input: () => told } },
  });
  const params = { type: "object", properties: { sku: { type: "string" } } };
  const broken = {
    get "~standard"(): never {
      throw new TypeError("no schema");
    },
  };
  const workflows = {
    ORDER: { name: "or/der", schema: schema(params), events: { go: schema(true), stay: {} } },
    LARGE: { name: "large", schema: schema("x".repeat(40_000)) },
    BROKEN: { name: "broken", schema: broken },
  };

  test("are made of what schemas tell of themselves, and of nothing where they tell nothing", async () => {
    const read = async (name: string): Promise<unknown> =>
      (await ask(`/forms/${name}`, { allow: ["start"], workflows })).json();
    expect(await read("or%2Fder")).toEqual({
      params,
      events: [
        { type: "go", payload: true },
        { type: "stay", payload: null },
      ],
    });
    const nothing = { params: null, events: [] };
    for (const name of ["large", "broken", "none", "%E0", "constructor"])
      expect(await read(name)).toEqual(nothing);
  });

  test("are for who may send what they are filled in with, and behind authorize", async () => {
    expect((await ask("/forms/large", { allow: ["steer"], workflows })).status).toBe(403);
    const closed = { authorize: () => false, allow: ["start"], workflows } as const;
    expect((await ask("/forms/large", closed)).status).toBe(401);
  });
});

describe("what it serves", () => {
  test("S8-009 what many pages ask within a second is asked of the database once, unless something was done since", async () => {
    const counted = await openScene();
    let looks = 0;
    const service = new Proxy(counted, {
      get: (target, name) => {
        if (name === "countInstances") looks += 1;
        return Reflect.get(target, name, target) as unknown;
      },
    });
    const answer = dashboard(service, { ...open, allow: ["steer"] });
    const look = (query = ""): Promise<Response> =>
      answer(new Request(`${ORIGIN}/dashboard/api/instances/counts${query}`));
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const texts = [];
    for (let page = 0; page < 50; page += 1) texts.push(await (await look()).text());
    expect([looks, new Set(texts).size]).toEqual([1, 1]);
    await look("?workflows=order");
    expect(looks).toBe(2);
    const path = `${ORIGIN}/dashboard/api/workflows/order/instances/order-waits/pause`;
    await answer(new Request(path, { method: "POST" }));
    expect(await (await look()).text()).not.toBe(texts[0]);
    expect(looks).toBe(3);
    vi.setSystemTime(Date.now() + 1000);
    await look();
    expect(looks).toBe(4);
  });

  test("an answer that is the same as before is not sent again, and one with payloads is always", async () => {
    for (const path of ["/api/instances", "/api/instances/counts", "/api/workflows"]) {
      const first = await ask(path);
      const etag = first.headers.get("etag") ?? "";
      expect([etag.length, first.headers.get("cache-control")]).toEqual([18, "no-store"]);
      const again = await ask(path, {}, { headers: { "if-none-match": etag } });
      expect([again.status, await again.text()]).toEqual([304, ""]);
      const other = await ask(path, {}, { headers: { "if-none-match": '"other"' } });
      expect(await other.text()).toBe(await first.text());
    }
    const shown = await ask("/api/instances?reveal=1", { allow: ["payloads"] });
    expect(shown.headers.has("etag")).toBe(false);
    expect((await ask("/api/instances?status=odd")).headers.has("etag")).toBe(false);
  });

  test("S8-007 code and styles of all pages are at most 150 KB, 60 KB as gzip", () => {
    const texts = Object.values(ASSETS);
    const add = (sizes: number[]): number => sizes.reduce((sum, size) => sum + size, 0);
    expect(add(texts.map((text) => Buffer.byteLength(text)))).toBeLessThanOrEqual(150_000);
    expect(add(texts.map((text) => gzipSync(text).byteLength))).toBeLessThanOrEqual(60_000);
  });

  test("S8-007 a page whose policy has no unsafe word and names no other origin", async () => {
    const page = await ask("/instances/order/order-waits");
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const [, nonce] = /'nonce-([^']+)'/.exec(policy) ?? [];
    expect(await page.text()).toContain(`nonce="${nonce}"`);
    const next = await ask("/");
    expect(next.headers.get("content-security-policy")).not.toBe(policy);
  });

  test("files that a browser keeps for good, and asks for again in vain", async () => {
    const html = await (await ask("/")).text();
    const paths = [...html.matchAll(/"\/dashboard(\/assets\/[^"]+)"/g)].map(
      ([, path = ""]) => path,
    );
    expect(paths).toHaveLength(2);
    for (const path of paths) {
      const file = await ask(path);
      expect([file.status, file.headers.get("cache-control")]).toEqual([
        200,
        "private, max-age=31536000, immutable",
      ]);
      const headers = { "if-none-match": file.headers.get("etag") ?? "" };
      expect((await ask(path, {}, { headers })).status).toBe(304);
    }
    expect((await ask("/assets/dashboard-0.js")).status).toBe(404);
    expect((await ask("/assets/toString")).status).toBe(404);
  });

  test("HEAD has no body, and other methods are refused", async () => {
    expect(await (await ask("/", {}, { method: "HEAD" })).text()).toBe("");
    const refused = await ask("/", {}, { method: "PUT" });
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  test("what is not below its path is not its own: 404, or the engine's", async () => {
    const path = `${ORIGIN}/dashboards`;
    expect((await dashboard(engine, open)(new Request(path))).status).toBe(404);
    const both = withDashboard(engine, open);
    expect(await (await both.fetch(new Request(`${ORIGIN}/dashboard`))).text()).toContain(
      "<!doctype",
    );
    const own = await both.fetch(new Request(`${ORIGIN}/api/workflows/workflows`));
    expect(own.status).toBe(401);
    expect(await both.countInstances()).toEqual(await engine.countInstances());
  });

  test("it is mounted at the root as well", async () => {
    const answer = await dashboard(engine, { ...open, path: "/" })(new Request(`${ORIGIN}/`));
    expect(await answer.text()).toContain('src="/assets/');
  });
});
