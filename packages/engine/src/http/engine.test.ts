import { safeParse } from "valibot";
import { describe, expect, it } from "vitest";
import { ROUTE_REFERENCE } from "./route-reference.ts";
import { listRoutes } from "./routes.ts";
import { INSTANCES } from "./testing-client.ts";
import { createClient, params } from "./testing-engine.ts";

describe("the engine over HTTP", () => {
  it("S0-151 an event wakes the instance that waits for it, which the next tick completes", async () => {
    const { send, tick, charged } = createClient();
    expect((await send("POST", INSTANCES, { id: "a", params })).body).toMatchObject({ id: "a" });
    expect((await tick()).body).toMatchObject({ processed: 1, steps: 1, moreDue: false });
    const waiting = await send("GET", `${INSTANCES}/a`);
    expect(waiting.body).toMatchObject({ details: { status: "waiting" } });
    expect((await tick()).body).toMatchObject({ processed: 0 });

    const event = { type: "approve", payload: { by: "me" } };
    expect((await send("POST", `${INSTANCES}/a/events`, event)).status).toBe(200);
    expect((await tick()).body).toMatchObject({ processed: 1 });
    expect((await send("GET", `${INSTANCES}/a`)).body).toMatchObject({
      details: { status: "complete", runNumber: 1, output: { receipt: { paid: 5 }, by: "me" } },
    });
    expect(charged).toEqual([5]);
  });

  it("S0-152 history pages show every step and event once, with full results", async () => {
    const { send, tick } = createClient();
    await send("POST", INSTANCES, { id: "a", params });
    await tick();
    await send("POST", `${INSTANCES}/a/events`, { type: "approve", payload: { by: "me" } });
    await tick();
    const names: string[] = [];
    let cursor = "";
    for (let page = 0; page < 5; page += 1) {
      const { body } = await send("GET", `${INSTANCES}/a/history?pageSize=1${cursor}`);
      const parsed = safeParse(ROUTE_REFERENCE.listHistory.output, body);
      expect(parsed.issues ?? []).toEqual([]);
      if (!parsed.success) break;
      const { steps, events, hasNextPage } = parsed.output;
      names.push(...steps.map(({ name }) => name), ...events.map(({ type }) => type));
      if (!hasNextPage) break;
      cursor = `&cursor=${encodeURIComponent(parsed.output.cursor ?? "")}`;
    }
    expect(names.toSorted()).toEqual(["approval", "approve", "charge"]);
    const whole = await send("GET", `${INSTANCES}/a/history?runNumber=1`);
    expect(whole.body).toMatchObject({ steps: [{ result: { paid: 5 } }, { name: "approval" }] });
  });

  it("S0-139 a list's cursor leads through every instance once", async () => {
    const { send } = createClient();
    const instances = ["a", "b", "c", "d", "e"].map((id) => ({ id, params }));
    await send("POST", `${INSTANCES}/batch`, { instances });
    const ids: string[] = [];
    let cursor = "";
    for (let page = 0; page < 4; page += 1) {
      const { body } = await send("GET", `${INSTANCES}?pageSize=2${cursor}`);
      const parsed = safeParse(ROUTE_REFERENCE.listInstances.output, body);
      if (!parsed.success) break;
      ids.push(...parsed.output.instances.map(({ id }) => id));
      if (!parsed.output.hasNextPage) break;
      cursor = `&cursor=${encodeURIComponent(parsed.output.cursor ?? "")}`;
    }
    expect(ids.toSorted()).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("S0-148 pause, resume, terminate and restart answer the state that they led to", async () => {
    const { send } = createClient();
    await send("POST", INSTANCES, { id: "a", params });
    const control = async (command: string): Promise<unknown> =>
      (await send("POST", `${INSTANCES}/a/${command}`)).body;
    const to = (status: string, runNumber: number): object => ({
      ok: true,
      details: { status, runNumber },
    });
    expect(await control("pause")).toEqual(to("paused", 1));
    expect(await control("resume")).toEqual(to("queued", 1));
    expect(await control("terminate")).toEqual(to("terminated", 1));
    expect(await control("terminate")).toMatchObject({ code: "INSTANCE_TERMINAL" });
    expect(await control("restart")).toEqual(to("queued", 2));
  });

  it("ticks at the same time run each step body once", async () => {
    const { send, tick, charged, holdBodies } = createClient();
    const release = holdBodies();
    const totals = [1, 2, 3, 4, 5];
    const instances = totals.map((total) => ({ id: `i${total}`, params: { total } }));
    await send("POST", `${INSTANCES}/batch`, { instances });
    const ticking = Promise.all([tick(), tick(), tick()]);
    await expect.poll(() => charged.length).toBe(5);
    release();
    expect((await ticking).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(charged.toSorted((a, b) => a - b)).toEqual(totals);
  });

  it("S2-040 batch create answers while a tick is held up by a step body", async () => {
    const { send, tick, charged, holdBodies } = createClient();
    const release = holdBodies();
    await send("POST", INSTANCES, { id: "a", params });
    const ticking = tick();
    await expect.poll(() => charged.length).toBe(1);
    const batch = await send("POST", `${INSTANCES}/batch`, { instances: [{ id: "b", params }] });
    expect(batch.body).toMatchObject({ instances: [{ id: "b" }], skipped: [] });
    expect(charged).toEqual([5]);
    release();
    expect((await ticking).status).toBe(200);
  });

  const BODIES: Readonly<Record<string, unknown>> = {
    createInstance: { id: "b", params },
    restartOrCreateInstance: { params },
    rewindInstance: { step: "charge" },
    forkInstance: { step: "charge" },
    updateInstance: { tags: ["t"], memo: { n: 1 }, deadline: "1 hour" },
    createBatch: { instances: [{ id: "b", params }] },
    sendEvent: { type: "approve", payload: { by: "me" } },
    emit: { payload: 1, id: "m" },
    previewBulk: { act: "terminate", tag: "t" },
    startBulk: { act: "terminate", tag: "t" },
    startBulkDelete: { tag: "t" },
    tick: {},
  };

  it.each(listRoutes())("%s answers in the shape that the table declares", async (name, route) => {
    const { send, tick } = createClient();
    await send("POST", INSTANCES, { id: "a", params });
    await tick();
    const path = route.path
      .replace(":workflowName", "ORDER")
      .replace(":instanceId", "a")
      .replace(":topic", "placed")
      .replace(":bulkId", "none");
    const { status, body } = await send(route.method, path, BODIES[name]);
    // It has not ended: a retry's answer is checked with a failed instance, and a delete's with an ended one.
    if (name === "retryInstance" || name === "deleteInstance") return expect(status).toBe(409);
    // It has made no callbacks, and has no event or job with that id.
    if (["completeCallback", "getReply", "getBulk", "cancelBulk"].includes(name))
      return expect(status).toBe(404);
    expect(status).toBe(200);
    expect(safeParse(ROUTE_REFERENCE[name].output, body).issues ?? []).toEqual([]);
  });
});
