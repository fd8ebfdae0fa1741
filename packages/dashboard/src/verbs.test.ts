/** What users may do in the dashboard: what `allow` permits, and nothing else. */
import { createHarness } from "@escapement/engine/testing";
import { describe, expect, test, vi } from "vitest";
import { dashboard } from "./index.ts";
import { open, openAsk, ORIGIN } from "./testing-ask.ts";

const { engine, ask } = await openAsk();

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
    // The fork has not ended, so it is not deleted.
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

  test("steer lets one that failed be retried from a step, and nothing else does", async () => {
    const path = "/api/workflows/import/instances/import-1/retry?from=read+file";
    const others = ["start", "events", "delete", "payloads"] as const;
    expect((await ask(path, { allow: others }, post)).status).toBe(403);
    const answer = await ask(path, { allow: ["steer"] }, post);
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { details: { runNumber: 1 } },
    ]);
    const running = await ask(`${INSTANCE}/retry?from=charge+card`, { allow: ["steer"] }, post);
    expect(await running.json()).toMatchObject({ code: "INSTANCE_NOT_ERRORED" });
  });

  test("a form of another site does nothing, whatever is allowed and whoever is signed in", async () => {
    const allow = ["start", "steer", "events", "delete", "payloads"] as const;
    const steering = ["pause", "resume", "cancel", "terminate", "restart", "retry", "rewind"];
    const paths = [
      ...[...steering, "events", "fork"].map((verb) => `${INSTANCE}/${verb}`),
      "/api/workflows/order/instances",
      "/api/topics/any",
      "/api/bulk",
      "/api/bulk/delete",
      "/api/bulk/any/cancel",
    ];
    const evil = [
      ["origin", "https://evil.example"],
      ["origin", "null"],
      ["sec-fetch-site", "cross-site"],
    ] as const;
    for (const path of paths)
      for (const [header, said] of evil) {
        const headers = new Headers({ cookie: "session=ann", [header]: said });
        headers.set("content-type", "application/x-www-form-urlencoded");
        const answer = await ask(path, { allow }, { method: "POST", headers, body: "id=x" });
        expect(await answer.json(), path).toMatchObject({ code: "CROSS_SITE_REQUEST" });
      }
    const origin = { headers: { origin: "https://evil.example" } };
    const answer = await ask(INSTANCE, { allow }, { method: "DELETE", ...origin });
    expect(await answer.json()).toMatchObject({ code: "CROSS_SITE_REQUEST" });
  });

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
