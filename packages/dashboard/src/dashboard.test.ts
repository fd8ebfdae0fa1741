/** What the dashboard serves: pages, files, forms, and repeated answers. */
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ASSETS } from "./generated-assets.ts";
import { dashboard, withDashboard } from "./index.ts";
import { openScene } from "./testing-scene.ts";
import { open, openAsk, ORIGIN } from "./testing-ask.ts";

const { engine, ask } = await openAsk();

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
