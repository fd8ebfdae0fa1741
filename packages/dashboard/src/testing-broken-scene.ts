/** What an operator sees after a bad deploy: many orders that failed alike, more that went well, and a report with its progress. */
import { createEngine, defineWorkflow, type Engine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";

/** How many of the first orders failed. */
export const FAILED = 110;
const ORDERS = 150;
const ROWS = 20;
/** The rows that were read again. */
export const RETRIED = [7, 13];

const ORDER = defineWorkflow(
  { name: "order", retries: { limit: 0, delay: 0 } },
  async ({ payload }, step) => {
    await step.do("reserve", () => undefined);
    await step.do("price", () => {
      const { vat } = payload as { readonly vat?: { readonly percent: number } };
      if (vat === undefined) throw new TypeError(`no "percent" of undefined`);
      return vat.percent;
    });
  },
);

const REPORT = defineWorkflow(
  { name: "report", retries: { limit: 1, delay: 1, backoff: "constant" } },
  async (_event, step) => {
    for (let row = 1; row <= ROWS; row += 1)
      await step.do(`row ${row}`, ({ attempt }) => {
        if (attempt === 1 && RETRIED.includes(row)) throw new RangeError("busy");
      });
    await step.progress({ rows: ROWS });
    await step.waitForEvent("go on", { type: "go" });
    await step.progress("the rest is done");
  },
);

/** Runs everything that is due. */
export async function drive(engine: Pick<Engine, "tick">): Promise<void> {
  for (let isBusy = true; isBusy;) {
    const { processed, nextWakeInMs } = await engine.tick();
    isBusy = processed > 0 || (nextWakeInMs !== null && nextWakeInMs < 1000);
  }
}

export async function openBrokenScene(): Promise<Engine> {
  const engine = createEngine({
    workflows: { ORDER, REPORT },
    store: createMemoryStore(),
    bulk: true,
    logger: { log: () => undefined },
  });
  for (let number = 1; number <= ORDERS; number += 1)
    await engine.workflows.ORDER.create({
      id: `order-${number}`,
      tags: number === 3 ? ["vip"] : [],
      params: number <= FAILED ? {} : { vat: { percent: 19 } },
    });
  await engine.workflows.REPORT.create({ id: "report-1" });
  await drive(engine);
  return engine;
}
