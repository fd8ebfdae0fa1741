import { describe, expect, it, vi } from "vitest";
import { toLogFields } from "../core/errors.ts";
import { type Bindings, createEngine, defineWorkflow } from "../index.ts";
import type { DrivingPlatform, Platform, WakeHint } from "../ports/platform.ts";
import { createTickHandler } from "../http/tick-handler.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createTickEngine } from "./tick-engine.ts";

const waiter = defineWorkflow({ name: "waiter" }, async (_event, step) => {
  await step.waitForEvent("wait", { type: "go" });
  return "went";
});
const workflows = { WAITER: waiter };

function createRecordingPlatform(wake: (hint: WakeHint) => Promise<void> = async () => {}) {
  const hints: string[] = [];
  const deferred: Promise<unknown>[] = [];
  const platform: Platform = {
    defer: (work) => void deferred.push(work),
    wakeNow: (hint) => {
      hints.push(`${hint.reason} ${hint.workflowName}/${hint.instanceId}`);
      return wake(hint);
    },
    wakeIn: async () => {},
    deadline: () => null,
  };
  return { platform, hints, deferred };
}

describe("wakes", () => {
  it("S0-015 S0-062 the platform is told after each commit that makes work due, and of nothing else", async () => {
    const { platform, hints } = createRecordingPlatform();
    const engine = createEngine({ workflows, store: createMemoryStore(), platform });
    const instance = await engine.workflows.WAITER.create({ id: "x" });
    await engine.tick();
    await instance.sendEvent({ type: "other" });
    await instance.sendEvent({ type: "go" });
    await instance.pause();
    await instance.resume();
    await engine.tick();
    await instance.restart();
    expect(hints).toEqual([
      "create waiter/x",
      "event waiter/x",
      "resume waiter/x",
      "create waiter/x",
    ]);
  });

  it("S0-062 a wake that fails is logged and costs only time: the next tick finds the work", async () => {
    const lost = createRecordingPlatform(() => Promise.reject(new TypeError("no route")));
    const log: string[] = [];
    const engine = createEngine({
      workflows,
      store: createMemoryStore(),
      platform: lost.platform,
      logger: { log: (_level, event) => void log.push(event) },
    });
    await engine.workflows.WAITER.create({ id: "x" });
    await Promise.all(lost.deferred);
    expect(log).toEqual(["wake.failed"]);
    expect(await engine.tick()).toMatchObject({ processed: 1 });
  });
});

describe("a host", () => {
  it.each([
    ["createEngine", createEngine],
    ["createTickEngine", createTickEngine as typeof createEngine],
  ] as const)("%s attaches its engine to the platform, once", (_name, create) => {
    const attach = vi.fn<DrivingPlatform["attach"]>();
    const { platform } = createRecordingPlatform();
    const engine = create({
      workflows,
      store: createMemoryStore(),
      platform: { ...platform, attach },
    });
    expect(attach.mock.calls).toEqual([[engine]]);
    expect(attach.mock.calls[0]?.[0]).toBe(engine);
  });

  it("S0-013 S0-065 S0-066 has services, bindings, routes and ticks over a store of its own, behind a policy of its own", async () => {
    const engine = createEngine({
      workflows,
      store: createMemoryStore(),
      http: { open: true, policies: { manage: () => new Response("no", { status: 403 }) } },
    });
    await engine.createInstance("waiter", { id: "x" });
    const path = "http://host/api/workflows/workflows/waiter/instances/x";
    expect((await engine.fetch(new Request(path))).status).toBe(200);
    expect((await engine.fetch(new Request(`${path}/pause`, { method: "POST" }))).status).toBe(403);
    expect(await engine.tick()).toMatchObject({ processed: 1 });
  });

  it("one that only ticks has every verb for workflow code, which loads them by its first call", async () => {
    const parent = defineWorkflow({ name: "parent" }, async (_event, step, context) => {
      const { WAITER } = context.workflows as Bindings<typeof workflows>;
      return await step.do("asks others", async () => {
        const child = await WAITER.create({ id: "child", idempotencyKey: "child" });
        const others = await WAITER.createBatch([{ id: "child" }, { id: "other" }]);
        await (await WAITER.get("other")).pause();
        await child.sendEvent({ type: "go" });
        await child.update({ tags: ["sent"] });
        const code = await WAITER.create({ id: "not an id" }).catch(toLogFields);
        const { status } = await child.status();
        return { ids: others.map(({ id }) => id), status, code };
      });
    });
    const engine = createTickEngine({
      workflows: { ...workflows, PARENT: parent },
      store: createMemoryStore(),
    });
    const instance = await engine.workflows.PARENT.create({ id: "p" });
    await engine.tick();
    const output = { ids: ["other"], status: "queued", code: { code: "INVALID_INSTANCE_ID" } };
    expect(await instance.status()).toMatchObject({ status: "complete", output });
    await engine.tick();
    const child = await engine.workflows.WAITER.get("child");
    expect(await child.status()).toMatchObject({
      status: "complete",
      output: "went",
      tags: ["sent"],
    });
  });

  it("one that only ticks answers the tick route and no other", async () => {
    const secret = "a-secret-of-at-least-24-bytes";
    const engine = createTickEngine({ workflows, store: createMemoryStore() });
    const fetch = createTickHandler(engine, { tick: { bearerSecret: secret } });
    await engine.workflows.WAITER.create({ id: "x" });
    const request = new Request("http://host/api/workflows/_runner/tick", {
      headers: { authorization: `Bearer ${secret}` },
    });
    expect(await (await fetch(request)).json()).toMatchObject({ processed: 1 });
    expect((await fetch(new Request("http://host/api/workflows/workflows"))).status).toBe(404);
  });
});
