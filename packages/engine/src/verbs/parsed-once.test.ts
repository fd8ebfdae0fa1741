/** Params and payloads are parsed once, when they arrive, and stored as parsed. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createEngine, defineWorkflow, type Engine } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";

const idle = async (engine: Pick<Engine<never>, "tick">): Promise<void> => {
  while ((await engine.tick()).processed > 0);
};

const workflowOf = (schema: z.ZodType) =>
  defineWorkflow(
    {
      name: "order",
      schema,
      events: {
        paid: z.object({ amount: z.coerce.number(), currency: z.string().default("EUR") }),
      },
      output: z.object({ total: z.number().transform((total) => total * 2) }).loose(),
    },
    async (event, step) => {
      const paid = await step.waitForEvent("wait", { type: "paid" });
      return { params: event.payload, paid: paid.payload, total: 4 };
    },
  );

const LAX = z.object({ copies: z.coerce.number().default(1), note: z.string().optional() });

describe("S5-026 what comes in is parsed once", () => {
  it("defaults and coercions are what is stored, shown and given to author code", async () => {
    const workflows = { ORDER: workflowOf(LAX) };
    const engine = createEngine({ workflows, store: createMemoryStore() });
    const instance = await engine.workflows.ORDER.create({ id: "a", params: { copies: "3" } });
    await engine.workflows.ORDER.createBatch([{ id: "b", params: {} }]);
    await instance.sendEvent({ type: "paid", payload: { amount: "12" } });
    const { events } = await engine.listHistory("order", "a", {});
    expect(events[0]?.payload).toEqual({ amount: 12, currency: "EUR" });
    await idle(engine);
    expect((await engine.getInstance("order", "a")).details.output).toEqual({
      params: { copies: 3 },
      paid: { amount: 12, currency: "EUR" },
      total: 8,
    });
    await engine.sendEvent("order", "b", { type: "paid", payload: { amount: 1 } });
    await idle(engine);
    expect((await engine.getInstance("order", "b")).details.output).toMatchObject({
      params: { copies: 1 },
    });
  });

  it("the HTTP API parses as create does", async () => {
    const workflows = { ORDER: workflowOf(LAX) };
    const store = createMemoryStore();
    const engine = createEngine({ workflows, store, http: { open: true } });
    const post = (path: string, body: unknown): Promise<Response> =>
      engine.fetch(
        new Request(`http://x/api/workflows/workflows/order/instances${path}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
      );
    expect((await post("", { id: "a", params: { copies: "3" } })).status).toBe(200);
    await post("/a/events", { type: "paid", payload: { amount: "12" } });
    await idle(engine);
    expect((await engine.getInstance("order", "a")).details.output).toMatchObject({
      params: { copies: 3 },
      paid: { amount: 12, currency: "EUR" },
    });
  });

  it("a schema that is stricter by now does not fail an instance that was accepted", async () => {
    const store = createMemoryStore();
    const before = createEngine({ workflows: { ORDER: workflowOf(LAX) }, store });
    await before.workflows.ORDER.create({ id: "a", params: { copies: 3 } });
    await idle(before);
    const strict = z.object({ copies: z.number().max(1), must: z.string() });
    const after = createEngine({ workflows: { ORDER: workflowOf(strict) }, store });
    await after.sendEvent("order", "a", { type: "paid", payload: { amount: 1 } });
    await idle(after);
    expect((await after.getInstance("order", "a")).details).toMatchObject({
      status: "complete",
      output: { params: { copies: 3 } },
    });
    await expect(after.createInstance("order", { params: { copies: 3 } })).rejects.toMatchObject({
      code: "INVALID_PARAMS",
    });
  });
});
