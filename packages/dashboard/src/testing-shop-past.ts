/** The past of a shop: an hour of invoices, checks that wait for a partner, and reports that other processes hold. */
import { defineWorkflow, type Engine, NonRetryableError } from "@escapement/engine";
import type { createMemoryStore } from "@escapement/engine/store/memory";

type Store = ReturnType<typeof createMemoryStore>;

/** Ends before the past continues. */
const SLEEP_MS = 112_000;

const INVOICE = defineWorkflow({ name: "invoice" }, async ({ payload }, step) => {
  const { isRefused = false } = payload as { readonly isRefused?: boolean };
  await step.do("number it", () => "2026-1143");
  await step.do("send it", () => {
    if (isRefused) throw new NonRetryableError("the address does not take mail");
  });
  await step.sleep("leave time to read it", SLEEP_MS);
  await step.do("book it", () => undefined);
});

const CHECK = defineWorkflow({ name: "identity-check" }, async (_event, step) => {
  const { payload } = await step.callback("ask the bureau", { timeout: "2 days" });
  return payload();
});

const REPORT = defineWorkflow({ name: "report" }, async (_event, step) => {
  await step.do("gather figures", () => undefined);
});

export const PAST_WORKFLOWS = { INVOICE, CHECK, REPORT };

type PastEngine = Engine<typeof PAST_WORKFLOWS>;

/** The store's current time: so long before the present. */
export interface Clock {
  behindMs: number;
}

const MINUTE_MS = 60_000;

/** Ends at the present. */
export async function fillPast(engine: PastEngine, clock: Clock): Promise<void> {
  for (let minute = 58; minute > 0; minute -= 2) {
    clock.behindMs = minute * MINUTE_MS;
    const count = 34 + Math.round(14 * Math.sin(minute / 8) + 6 * Math.cos(minute));
    const isBusy = minute > 18 && minute < 26;
    await engine.workflows.INVOICE.createBatch(
      Array.from({ length: count }, (_none, index) => ({
        id: `invoice-${60 - minute}-${index}`,
        params: { isRefused: index % (isBusy ? 6 : 31) === 5 },
      })),
    );
    if (minute % 14 === 0)
      await engine.workflows.CHECK.create({ id: `check-${7000 + minute}`, tags: ["web"] });
    const waitMs = 240 + 900 * (1 + Math.sin(minute)) + (isBusy ? 5200 : 0);
    for (const part of [0.4, 0.4, 0.2]) {
      clock.behindMs -= waitMs * part;
      await engine.tick({ maxInstances: Math.ceil(count * 0.5) });
    }
    await drive(engine);
  }
  clock.behindMs = 0;
  await drive(engine);
}

/** Runs everything that is due. */
export async function drive(engine: Pick<Engine, "tick">): Promise<void> {
  for (let isBusy = true; isBusy;) isBusy = (await engine.tick()).processed > 0;
}

const HELD_MS = 300_000;

/** Processes elsewhere that hold reports; one of them is dead. */
export async function holdReports(engine: PastEngine, store: Store): Promise<void> {
  const holders = [
    { token: "web-0~a7~1", limit: 3, leaseMs: HELD_MS },
    { token: "web-1~c2~1", limit: 2, leaseMs: HELD_MS - 41_000 },
    { token: "x91@batch-7f4c9d", limit: 2, leaseMs: HELD_MS - 73_000 },
    { token: "web-2~b1~1", limit: 1, leaseMs: 1 },
  ];
  for (let number = 1; number <= 11; number += 1)
    await engine.workflows.REPORT.create({ id: `report-2026-${40 + number}` });
  for (const holder of holders) await store.claim({ ...holder, workflowNames: ["report"] });
}
