/** Replies over HTTP: an event is sent, and the reply is awaited. */
import { beforeEach, describe, expect, it } from "vitest";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createEngine, type Engine } from "../verbs/engine.ts";
import { type Answer, toAnswer } from "./testing-client.ts";

const INSTANCE = "https://shop.test/api/workflows/workflows/w/instances/x";

describe("S6-014 the reply to an event", () => {
  let engine: Engine;
  const ask = async (path: string, init: RequestInit = {}): Promise<Answer> =>
    toAnswer(await engine.fetch(new Request(`${INSTANCE}${path}`, init)));
  const send = (event: object): Promise<Answer> =>
    ask("/events", {
      method: "POST",
      body: JSON.stringify(event),
      headers: { "content-type": "application/json" },
    });

  beforeEach(async () => {
    const workflow = defineWorkflow({ name: "w" }, async (_event, step) => {
      const event = await step.waitForEvent("in", { type: "ask" });
      event.reply(event.payload === "nothing" ? undefined : { big: 10n, of: event.payload });
      await step.waitForEvent("end", { type: "end" });
    });
    engine = createEngine({
      workflows: { W: workflow },
      store: createMemoryStore(),
      http: { open: true },
    });
    await engine.createInstance("w", { id: "x" });
    await engine.tick();
  });

  it("S6-014 is waited for, and there again for who asks again", async () => {
    expect((await send({ type: "ask", payload: 1, eventId: "q/1 ü" })).status).toBe(400);
    expect((await send({ type: "ask", payload: 1, eventId: "q/1?" })).status).toBe(200);
    const path = `/events/${encodeURIComponent("q/1?")}/reply`;
    const waiting = ask(`${path}?waitMs=20000`);
    expect((await ask(path)).body).toEqual({ answered: false });
    await engine.tick();
    const reply = { answered: true, reply: { big: "10", of: 1 } };
    expect(await waiting).toMatchObject({ status: 200, body: reply });
    expect(await ask(path)).toMatchObject({ status: 200, body: reply });
  });

  it("S6-014 may be nothing", async () => {
    await send({ type: "ask", payload: "nothing", eventId: "q" });
    await engine.tick();
    expect((await ask("/events/q/reply")).body).toEqual({ answered: true });
  });

  it("S6-014 is answered after so long as it is waited for, though there is none", async () => {
    await send({ type: "other", eventId: "q" });
    const began = performance.now();
    expect((await ask("/events/q/reply?waitMs=30")).body).toEqual({ answered: false });
    expect(performance.now() - began).toBeGreaterThanOrEqual(25);
  });

  it("S6-014 will not come once the run has ended", async () => {
    await send({ type: "other", eventId: "q" });
    const waiting = ask("/events/q/reply?waitMs=20000");
    await engine.control("w", "x", "terminate");
    expect(await waiting).toMatchObject({ status: 409, body: { code: "EVENT_NOT_ANSWERED" } });
  });

  it.each([
    [404, "EVENT_NOT_FOUND", "/events/none/reply"],
    [404, "EVENT_NOT_FOUND", "/events/q/reply?runNumber=2"],
    [400, "INVALID_REQUEST", "/events/q/reply?waitMs=20001"],
    [400, "INVALID_REQUEST", "/events/q/reply?waitMs=1e3"],
    [400, "INVALID_REQUEST", "/events/q/reply?runNumber=0"],
    [400, "INVALID_IDEMPOTENCY_KEY", "/events/a%20b/reply"],
  ])("S6-014 %d %s for %s", async (status, code, path) => {
    await send({ type: "other", eventId: "q" });
    expect(await ask(path)).toMatchObject({ status, body: { code } });
  });
});
