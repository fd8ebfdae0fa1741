/** `instance.ask()`: an event, and the reply to it. */
import { beforeAll, describe, expect, it } from "vitest";
import { createEngine, defineWorkflow } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { createHarness } from "../testing/harness.ts";
import { createTickEngine } from "./tick-engine.ts";

const counter = defineWorkflow({ name: "counter" }, async (_event, step) => {
  let total = 0;
  for (;;) {
    const events = await step.receive<number>("in", { types: ["add", "end"], timeout: "30 days" });
    for (const event of events) {
      if (event.type === "end") return total;
      total += event.payload;
      event.reply({ total });
    }
    await step.do("note", () => total);
  }
});
const silent = defineWorkflow({ name: "silent" }, async (_event, step) => {
  await step.waitForEvent("in", { type: "add" });
  await step.sleep("rest", "1 hour");
});
const workflows = { COUNTER: counter, SILENT: silent };

/** A harness that counts how often the store is asked for a reply. */
function openScene() {
  const time = createFakeTime();
  const store = createMemoryStore({ now: time.now });
  let looks = 0;
  const counting = {
    ...store,
    loadReply: (request: Parameters<typeof store.loadReply>[0]) => {
      looks += 1;
      return store.loadReply(request);
    },
  };
  const harness = createHarness({ workflows, store: { clock: time, store: counting } });
  return { harness, looks: () => looks };
}

// Its code is loaded late; on a busy machine, the event would be sent after the last tick.
beforeAll(() => import("./ask.ts"));

describe("S6-014 instance.ask", () => {
  it("S6-014 gives what the workflow's code answers", async () => {
    const { harness } = openScene();
    const instance = await harness.workflows.COUNTER.create();
    const answer = instance.ask<{ total: number }>({ type: "add", payload: 5 });
    const events = async () => (await harness.history("counter", instance.id)).events;
    await expect.poll(events).toHaveLength(1);
    await harness.runUntilIdle();
    await harness.clock.advance(1000);
    expect((await answer).total).toBe(5);
  });

  it("S6-014 each of many senders gets its own answer", async () => {
    const { harness } = openScene();
    const instance = await harness.workflows.COUNTER.create();
    const answers = Array.from({ length: 150 }, () => instance.ask({ type: "add", payload: 1 }));
    await harness.runUntilIdle();
    await harness.clock.advance(1000);
    const totals = (await Promise.all(answers)) as { readonly total: number }[];
    expect(totals.map(({ total }) => total)).toEqual(Array.from({ length: 150 }, (_, n) => n + 1));
  });

  it("S6-014 asked again with the event's id, it is the same question: a sender that died comes back", async () => {
    const { harness } = openScene();
    const instance = await harness.workflows.COUNTER.create({ id: "x" });
    const event = { type: "add", payload: 5, eventId: "mine" } as const;
    void instance.ask(event).catch(() => undefined);
    await harness.runUntilIdle();
    harness.restart();
    const again = await harness.workflows.COUNTER.get("x");
    for (let times = 0; times < 2; times += 1) expect(await again.ask(event)).toEqual({ total: 5 });
    await expect(again.ask({ ...event, payload: 6 })).rejects.toMatchObject({
      code: "EVENT_ID_CONFLICT",
    });
    await again.sendEvent({ type: "end" });
    await harness.runUntilIdle();
    expect(await again.status()).toMatchObject({ status: "complete", output: 5 });
    expect(await again.ask(event)).toEqual({ total: 5 });
  });

  it("S6-014 a run that ends without an answer is told of by EVENT_NOT_ANSWERED", async () => {
    const { harness } = openScene();
    const instance = await harness.workflows.SILENT.create();
    const asked = instance.ask({ type: "add", eventId: "q" }, { timeout: "2 hours" });
    const caught = asked.catch((error: unknown) => error);
    await harness.runThroughTime();
    await harness.clock.advance(2000);
    expect(await caught).toMatchObject({
      code: "EVENT_NOT_ANSWERED",
      details: {
        workflowName: "silent",
        instanceId: instance.id,
        eventId: "q",
        status: "complete",
      },
    });
  });

  it("S6-014 an event that no wait took is not answered either", async () => {
    const { harness } = openScene();
    const instance = await harness.workflows.SILENT.create();
    const asked = instance.ask({ type: "other" }).catch((error: unknown) => error);
    await harness.runUntilIdle();
    await instance.terminate();
    await harness.clock.advance(2000);
    expect(await asked).toMatchObject({ code: "EVENT_NOT_ANSWERED" });
    await expect(instance.ask({ type: "other" })).rejects.toMatchObject({
      code: "INSTANCE_TERMINAL",
    });
  });

  it("S6-014 a restart leaves the question to the run that is over", async () => {
    const { harness } = openScene();
    const instance = await harness.workflows.COUNTER.create();
    const event = { type: "add", payload: 1, eventId: "q" } as const;
    const first = instance.ask(event).catch((error: unknown) => error);
    const sent = async (): Promise<number> =>
      (await harness.history("counter", instance.id)).events.length;
    await expect.poll(sent).toBe(1);
    await instance.restart();
    await harness.clock.advance(2000);
    expect(await first).toMatchObject({ code: "EVENT_NOT_ANSWERED" });
    const second = instance.ask(event);
    await harness.runUntilIdle();
    await harness.clock.advance(2000);
    expect(await second).toEqual({ total: 1 });
  });

  it("S6-014 waits a minute or as long as is said, looks at most once a second in the end, and then names the event", async () => {
    const { harness, looks } = openScene();
    const instance = await harness.workflows.SILENT.create();
    const asked = instance.ask({ type: "add" }, { timeout: "90 seconds" });
    const caught = asked.catch((error: unknown) => error);
    await harness.clock.advance(89_999);
    expect(await Promise.race([caught, Promise.resolve("waits")])).toBe("waits");
    await harness.clock.advance(1);
    const error = (await caught) as { details: { eventId: string } };
    expect(error).toMatchObject({
      code: "REPLY_TIMEOUT",
      retryable: true,
      details: { timeoutMs: 90_000 },
    });
    expect(looks()).toBeLessThanOrEqual(130);
    const { events } = await harness.history("silent", instance.id);
    expect(events).toHaveLength(1);
    const found = await harness.engine.getReply("silent", instance.id, error.details.eventId);
    expect(found).toEqual({ answered: false });
  });

  it("S6-014 refuses what it does not know before it sends anything", async () => {
    const { harness } = openScene();
    const instance = await harness.workflows.SILENT.create();
    const event = { type: "add" } as const;
    for (const [options, code] of [
      [{ timeout: "soon" }, "INVALID_DURATION"],
      [{ timeoutMs: 5 }, "UNKNOWN_OPTION"],
    ] as const)
      await expect(instance.ask(event, options as never)).rejects.toMatchObject({ code });
    expect((await harness.history("silent", instance.id)).events).toEqual([]);
  });

  it("S6-014 is answered at once by a run of this process, between two looks", async () => {
    const time = createFakeTime();
    let finish = (): void => {};
    const slow = defineWorkflow({ name: "slow" }, async (_event, step) => {
      const event = await step.waitForEvent("in", { type: "ask" });
      await step.do("think", () => new Promise<void>((resolve) => (finish = resolve)));
      event.reply("thought");
      await step.do("more", () => new Promise<void>(() => {}));
    });
    const store = createMemoryStore({ now: time.now });
    const engine = createEngine({ workflows: { SLOW: slow }, store, host: time.host });
    const instance = await engine.workflows.SLOW.create();
    await engine.sendEvent("slow", instance.id, { type: "ask", eventId: "q" });
    void engine.tick();
    await time.advance(0);
    let answer: unknown;
    void instance.ask({ type: "ask", eventId: "q" }).then((given) => (answer = given));
    await time.advance(1650);
    expect(answer).toBeUndefined();
    finish();
    await time.advance(0);
    expect(answer).toBe("thought");
  });

  it("S6-014 a reply makes nobody look but those who ask of its event", async () => {
    const time = createFakeTime();
    const finish: (() => void)[] = [];
    const oneByOne = defineWorkflow({ name: "one by one" }, async (_event, step) => {
      for (;;) {
        const event = await step.waitForEvent<number>("in", { type: "ask" });
        await step.do("think", () => new Promise<void>((resolve) => finish.push(resolve)));
        event.reply(event.payload);
      }
    });
    const store = createMemoryStore({ now: time.now });
    const looked: string[] = [];
    const counting = {
      ...store,
      loadReply: (request: Parameters<typeof store.loadReply>[0]) => {
        looked.push(request.eventId);
        return store.loadReply(request);
      },
    };
    const engine = createEngine({ workflows: { ONE: oneByOne }, store: counting, host: time.host });
    const instance = await engine.workflows.ONE.create();
    const ids = ["a", "b", "c", "d", "e"];
    for (const [payload, eventId] of ids.entries())
      await engine.sendEvent("one by one", instance.id, { type: "ask", payload, eventId });
    void engine.tick();
    await time.advance(0);
    const answers = ids.map((eventId, payload) => instance.ask({ type: "ask", payload, eventId }));
    await time.advance(0);
    looked.length = 0;
    for (const [index, id] of ids.slice(0, -1).entries()) {
      finish.shift()?.();
      await time.advance(0);
      expect(await answers[index]).toBe(index);
      expect(looked.splice(0)).toEqual([id]);
    }
  });

  it("S6-014 an engine that only ticks asks too", async () => {
    const engine = createTickEngine({ workflows, store: createMemoryStore() });
    const instance = await engine.workflows.COUNTER.create();
    const answer = instance.ask({ type: "add", payload: 2 });
    await expect.poll(async () => (await engine.tick()).processed).toBeGreaterThan(0);
    expect(await answer).toEqual({ total: 2 });
  });
});

describe("S6-014 engine.getReply", () => {
  it.each([
    ["EVENT_NOT_FOUND", "x", "other", {}],
    ["INSTANCE_NOT_FOUND", "nobody", "q", {}],
    ["INVALID_INSTANCE_ID", "-", "q", {}],
    ["INVALID_IDEMPOTENCY_KEY", "x", "", {}],
    ["INVALID_IDEMPOTENCY_KEY", "x", 5, {}],
    ["INVALID_REQUEST", "x", "q", { waitMs: -1 }],
    ["INVALID_REQUEST", "x", "q", { waitMs: 20_001 }],
    ["INVALID_REQUEST", "x", "q", { runNumber: 0 }],
    ["EVENT_NOT_FOUND", "x", "q", { runNumber: 2 }],
    ["UNKNOWN_OPTION", "x", "q", { timeout: 5 }],
  ])("S6-014 refuses with %s: %j %j %j", async (code, id, eventId, options) => {
    const { harness } = openScene();
    const instance = await harness.workflows.SILENT.create({ id: "x" });
    await instance.sendEvent({ type: "add", eventId: "q" });
    await expect(
      harness.engine.getReply("silent", id, eventId as string, options as never),
    ).rejects.toMatchObject({ code });
  });
});
