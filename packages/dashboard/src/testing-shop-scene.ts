/** A shop after a bad deploy, in real time, for the screenshots in the documentation. */
import {
  createEngine,
  defineTopic,
  defineWorkflow,
  type Engine,
  NonRetryableError,
} from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { type Clock, drive, fillPast, holdReports, PAST_WORKFLOWS } from "./testing-shop-past.ts";

type StandardSchema = NonNullable<Parameters<typeof defineTopic>[0]["schema"]>;

/** A schema that provides its JSON Schema, as zod's do. */
function schemaOf(properties: object, required: readonly string[]): StandardSchema {
  const told = { type: "object", properties, required };
  return {
    "~standard": {
      version: 1,
      vendor: "shop",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => told },
    },
  } as unknown as StandardSchema;
}

interface OrderParams {
  readonly sku: string;
  readonly isBroken?: boolean;
  readonly waitMs?: number;
}

const takes = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
const restocked = defineTopic({ name: "restocked" });
const PARAMS = schemaOf(
  {
    sku: { type: "string", description: "As it stands on the shelf" },
    count: { type: "integer" },
    express: { type: "boolean" },
    currency: { enum: ["EUR", "USD", "GBP"] },
  },
  ["sku", "count"],
);
const APPROVAL = schemaOf({ by: { type: "string" }, note: { type: "string" } }, ["by"]);

const SHIPMENT = defineWorkflow({ name: "shipment" }, async (_event, step) => {
  await step.do("book carrier", () => takes(120).then(() => ({ carrier: "north" })));
  await step.sleep("wait for pick-up", 400);
  return step.do("scan parcel", () => takes(60));
});

const ORDER = defineWorkflow(
  {
    name: "order",
    schema: PARAMS,
    events: { approval: APPROVAL, refund: APPROVAL },
    retries: { limit: 3, delay: 150, backoff: "constant" },
  },
  async ({ payload }, step) => {
    const { isBroken = false, waitMs = 300 } = payload as OrderParams;
    await step.do("reserve stock", () => takes(90).then(() => ({ reserved: 3 })));
    await step.do("charge card", async ({ attempt }) => {
      await takes(140);
      if (attempt === 1) throw new TypeError("the payment service did not answer in time");
      return { receipt: "r-2291" };
    });
    await step.join("prepare", {
      pack: async (own) => {
        await own.do("find box", () => takes(80));
        await own.sleep("let glue dry", waitMs);
        await own.do("weigh", () => takes(40));
      },
      label: async (own) => {
        await own.do("choose tariff", () => takes(150));
        await own.do("print label", () => {
          if (isBroken)
            throw new NonRetryableError("Cannot read properties of undefined (reading 'zip')");
          return takes(110);
        });
      },
    });
    await step.invoke(SHIPMENT, {});
    const approval = await step.waitForEvent("approval", { type: "approval", timeout: "3 days" });
    await step.do("send receipt", () => takes(70));
    return { approval };
  },
);

const WATCH = defineWorkflow({ name: "stock-watch" }, async (_event, step) => {
  await step.waitForTopic("restocked", restocked, { timeout: "7 days" });
});

/** The workflows for forms. */
export const SHOP_WORKFLOWS = { ORDER, SHIPMENT, WATCH };

/** Takes about five seconds. After that, nothing changes. */
export async function openShop(): Promise<Engine> {
  const clock: Clock = { behindMs: 0 };
  const store = createMemoryStore({ now: () => Date.now() - clock.behindMs });
  const engine = createEngine({
    workflows: { ...SHOP_WORKFLOWS, ...PAST_WORKFLOWS },
    topics: [restocked],
    bulk: true,
    store,
    callbacks: {
      signingKeys: ["a-key-of-the-shop-of-more-than-32-characters"],
      url: "https://shop.example/api/workflows",
    },
    logger: { log: () => undefined },
  });
  await fillPast(engine, clock);
  const loop = engine.startLoop();
  const names = Array.from({ length: 26 }, (_, index) => `order-${1040 + index}`);
  for (const [index, id] of names.entries()) {
    const params = { sku: "tea", count: 1, isBroken: index % 5 === 3, waitMs: 200 + index * 17 };
    await engine.workflows.ORDER.create({
      id,
      params,
      tags: [index % 3 === 0 ? "eu" : "us", "web"],
    });
  }
  for (let index = 1; index <= 4; index += 1)
    await engine.workflows.WATCH.create({ id: `watch-tea-${index}` });
  await takes(2600);
  for (const [index, id] of names.entries())
    if (index % 5 !== 3 && index % 4 !== 0)
      await engine.sendEvent("order", id, { type: "approval", payload: { by: "Ann" } });
  await takes(700);
  await loop.stop();
  await engine.workflows.ORDER.create({
    id: "order-1066",
    params: { sku: "tea", count: 2 },
    tags: ["web"],
    delay: "1 hour",
  });
  await beginJobs(engine);
  await holdReports(engine, store);
  return engine;
}

/** One job that is done, one that was refused, and one that has not begun. */
async function beginJobs(engine: Engine): Promise<void> {
  await engine.startBulk({
    act: "terminate",
    workflows: ["identity-check"],
    idPrefix: "check-7056",
  });
  await engine.startBulk({
    act: "retry",
    workflows: ["stock-watch"],
    status: ["waiting"],
    id: "watches",
  });
  await drive(engine);
  await engine.startBulk({ act: "retry", workflows: ["order"], status: ["errored"] });
}
