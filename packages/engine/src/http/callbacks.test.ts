/** Callbacks over HTTP: what their URL accepts, from whom, and how it refuses. */
import { beforeEach, describe, expect, it } from "vitest";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createEngine, type Engine } from "../verbs/engine.ts";
import type { FetchHandlerOptions } from "./options.ts";
import { type Answer, toAnswer } from "./testing-client.ts";

const KEY = "a-key-of-at-least-32-characters-or-more";

interface Scene {
  readonly engine: Engine;
  readonly url: string;
  readonly log: readonly unknown[];
  readonly post: (url: string, init?: RequestInit) => Promise<Answer>;
  readonly status: () => Promise<unknown>;
}

/** A run that waits for its callback. */
async function start(http: FetchHandlerOptions = {}): Promise<Scene> {
  const urls: string[] = [];
  const log: unknown[] = [];
  const workflow = defineWorkflow({ name: "w" }, async (_event, step) => {
    const { url, payload } = await step.callback("a");
    urls.push(url);
    return payload();
  });
  const engine = createEngine({
    workflows: { W: workflow },
    store: createMemoryStore(),
    logger: { log: (_level, event, fields) => void log.push([event, fields]) },
    callbacks: { signingKeys: [KEY], url: "https://shop.test/api/workflows" },
    http,
  }) as unknown as Engine;
  await engine.createInstance("w", { id: "x" });
  await engine.tick();
  return {
    engine,
    url: urls[0] ?? "",
    log,
    post: async (url, init = {}) =>
      toAnswer(
        await engine.fetch(
          new Request(url, {
            method: "POST",
            body: `{"by":"ada"}`,
            headers: { "content-type": "application/json" },
            ...init,
          }),
        ),
      ),
    status: async () => {
      await engine.tick();
      return (await engine.getInstance("w", "x")).details;
    },
  };
}

describe("S6-016 the URL of a callback", () => {
  let asked = 0;
  let scene: Scene;
  beforeEach(async () => {
    asked = 0;
    scene = await start({ authorizeRequest: () => void (asked += 1) });
  });

  it("S6-016 takes the payload from who has it, asks for nothing else, and says nothing else", async () => {
    const answer = await scene.post(scene.url);
    expect(answer).toMatchObject({ status: 200, body: { ok: true } });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(asked).toBe(0);
    expect(await scene.status()).toMatchObject({ status: "complete", output: { by: "ada" } });
  });

  it("S6-016 is open where everything else is closed", async () => {
    const closed = await start();
    expect(await closed.post(closed.url)).toMatchObject({ status: 200 });
  });

  it("S6-016 takes one of many that come at the same time", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => scene.post(scene.url)));
    const codes = answers.map(({ status, code }) => `${status} ${code}`).toSorted();
    expect(codes).toEqual(["200 null", ...Array.from({ length: 7 }, () => "409 CALLBACK_USED")]);
  });

  it.each([
    ["a list", `[1,2]`, [1, 2]],
    ["a text", `"yes"`, "yes"],
    ["null", `null`, null],
    ["nothing", ``, {}],
  ])("S6-016 takes %s", async (_what, body, output) => {
    expect(await scene.post(scene.url, { body })).toMatchObject({ status: 200 });
    expect(await scene.status()).toMatchObject({ status: "complete", output });
  });

  it("S6-016 is for pages of any origin, whose requests bring nobody's cookies in", async () => {
    const headers = {
      "content-type": "application/json",
      "sec-fetch-site": "cross-site",
      origin: "https://mail.test",
    };
    expect(await scene.post(scene.url, { headers })).toMatchObject({ status: 200 });
  });

  it.each(["GET", "HEAD", "PUT"])(
    "S6-016 is not used up by %s, as link scanners send it",
    async (method) => {
      expect(
        await scene.post(scene.url, { method, ...(method === "PUT" ? {} : { body: null }) }),
      ).toMatchObject({
        status: 405,
      });
      expect(await scene.post(scene.url)).toMatchObject({ status: 200 });
    },
  );

  it.each([
    [
      "a form",
      { body: "a=1", headers: { "content-type": "application/x-www-form-urlencoded" } },
      "INVALID_REQUEST",
    ],
    ["what is no JSON", { body: "{" }, "INVALID_REQUEST"],
    [
      "a payload above its limit",
      { body: JSON.stringify("x".repeat(1_100_000)) },
      "PAYLOAD_TOO_LARGE",
    ],
    [
      "a body above its limit",
      { body: JSON.stringify("x".repeat(2_200_000)) },
      "PAYLOAD_TOO_LARGE",
    ],
    [
      "too many values",
      { body: JSON.stringify(Array.from({ length: 60_000 }, () => 0)) },
      "INVALID_REQUEST",
    ],
  ])("S6-016 refuses %s and is not used up by it", async (_what, init, code) => {
    expect(await scene.post(scene.url, init)).toMatchObject({ code });
    expect(await scene.post(scene.url)).toMatchObject({ status: 200 });
  });

  it("S6-016 refuses what was not signed here, without reading its body, and logs no token", async () => {
    for (const forged of [
      scene.url.replace(/.(?=.{50}$)/, (character) => (character === "A" ? "B" : "A")),
      `${scene.url}A`,
      scene.url.split(".").slice(0, -1).join("."),
      `https://shop.test/api/workflows/callbacks/${"a".repeat(3000)}`,
      "https://shop.test/api/workflows/callbacks/%00",
    ]) {
      let pulled = 0;
      const body = new ReadableStream<Uint8Array>(
        { pull: () => void (pulled += 1) },
        { highWaterMark: 0 },
      );
      const init: RequestInit & { readonly duplex: "half" } = { body, duplex: "half" };
      const answer = await scene.post(forged, init);
      expect([answer.status, answer.code, pulled]).toEqual([404, "CALLBACK_INVALID", 0]);
    }
    expect(await scene.post("https://shop.test/api/workflows/callbacks/")).toMatchObject({
      code: "ROUTE_NOT_FOUND",
    });
    expect(await scene.post(`${scene.url}/more`)).toMatchObject({ code: "ROUTE_NOT_FOUND" });
    expect(JSON.stringify(scene.log)).not.toContain(scene.url.split(".").at(-1));
  });

  it.each(["terminate", "restart"] as const)("S6-016 is late after a %s", async (command) => {
    await scene.engine.control("w", "x", command);
    const answer = await scene.post(scene.url);
    expect([answer.status, answer.code]).toEqual([410, "CALLBACK_LATE"]);
    expect(JSON.stringify(answer.body)).not.toMatch(/"w"|terminated/);
  });

  it("S6-016 a policy of callbacks is asked, if there is one", async () => {
    const policies = { callback: () => new Response("slow down", { status: 429 }) };
    const guarded = await start({ policies });
    expect(await guarded.post(guarded.url)).toMatchObject({ status: 429 });
    expect(await guarded.status()).toMatchObject({ status: "waiting" });
  });
});
