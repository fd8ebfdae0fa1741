/** What an author exports of workflows: nothing here has a written type. */
import {
  bearerAuth,
  createConsoleLogger,
  createEngine,
  defineTopic,
  defineWorkflow,
  Loop,
  type WorkflowEvent,
  type WorkflowStep,
  WorkflowEntrypoint,
  WorkflowError,
} from "@escapement/engine";
import type { LifecycleEvents } from "@escapement/engine/types";
import { createMemoryStore } from "@escapement/engine/store/memory";
import * as v from "valibot";

const events = { approval: v.object({ by: v.string() }) };

export const shipped = defineTopic({ name: "shipped", schema: v.object({ id: v.string() }) });

export const order = defineWorkflow(
  {
    name: "order",
    schema: v.object({ sku: v.string() }),
    output: v.object({ cents: v.number() }),
    events,
  },
  async (event, step) => ({
    cents: (await step.do("price", () => event.payload.sku.length)) * 100,
  }),
);

export const plain = defineWorkflow({ name: "plain" }, async (_event, step) => {
  await step.sleep("a while", "1 hour");
  return { at: new Date() };
});

export class Invoice extends WorkflowEntrypoint<unknown, { readonly id: string }> {
  async run(event: WorkflowEvent<{ readonly id: string }>, step: WorkflowStep) {
    return helpers.all(step, event.payload.id);
  }
}

/** What an author takes out of workflows into functions of their own. */
export const helpers = {
  all: async (step: WorkflowStep, id: string) => {
    const tried = await step.tryDo("charge", () => id.length);
    const joined = await step.join("both", { a: async () => 1, b: async () => "b" });
    const callback = await step.callback<{ readonly ok: boolean }>("signed");
    const received = await step.waitForEvent<string>("approved", { type: "approved" });
    return { tried, joined, url: callback.url, received };
  },
  charge: (step: WorkflowStep) => step.tryDo("charge", () => 1),
  sign: (step: WorkflowStep) => step.callback<boolean>("sign"),
  wait: (step: WorkflowStep) => step.waitForEvent<boolean>("sign", { type: "sign" }),
  attempt: (step: WorkflowStep) => step.try("scope", async () => 1),
  map: (step: WorkflowStep) => step.map("each", [1, 2], (_inner, item) => item, { tolerate: 1 }),
  loop: (step: WorkflowStep) => step.loop("poll", { run: () => Loop.break({ at: 1 }) }),
  race: (step: WorkflowStep) => step.race("first", { a: async () => 1, b: async () => 2 }),
};

export const store = createMemoryStore();
export const logger = createConsoleLogger();
export const authorize = bearerAuth("a secret of a good many letters");

export function tellFailed({ stepKey }: LifecycleEvents["attemptFailed"]) {
  logger.log("warn", "failed", { stepKey });
}

export const engine = createEngine({
  workflows: { ORDER: order, PLAIN: plain },
  store,
  logger,
  http: { authorizeRequest: authorize },
  listeners: { attemptFailed: tellFailed },
});

export const { ORDER: orders, PLAIN: plains } = engine.workflows;
export const create = (sku: string) => orders.create({ params: { sku } });
export const find = (id: string) => orders.get(id);
export const createMany = (ids: readonly string[]) =>
  orders.createBatch(ids.map((id) => ({ id, params: { sku: id } })));
export const again = (id: string) => orders.restartOrCreate({ id, params: { sku: id } });
export const result = (id: string) => orders.execute({ id, params: { sku: id } });
export const read = async (id: string) => {
  const instance = await orders.get(id);
  return {
    status: await instance.status(),
    description: await instance.describe(),
    explanation: await instance.explain(),
    stream: instance.stream(),
  };
};
export const codeOf = (error: unknown) => (WorkflowError.is(error) ? error.code : null);
