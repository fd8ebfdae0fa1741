/** TEST ONLY: a shop whose orders fail while a deploy is broken, or wait for their payment, and a process that may be killed. */
import { defineWorkflow } from "../authoring/define-workflow.ts";
import { RollbackError } from "../core/author-errors.ts";
import type { InstanceStatusName } from "../core/model/status.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "./fake-time.ts";
import { createFaultStore, type StoreVerb } from "./fault-store.ts";
import { createHarness } from "./harness.ts";

/** Which call kills the process, counted from when a test begins to. */
export interface Killing {
  readonly killAt: number;
  /** The call reaches the store before. */
  readonly isApplied: boolean;
}

const deploy = { isBroken: true };

const order = defineWorkflow(
  { name: "order", retries: { limit: 0 } },
  async ({ payload }, step) => {
    await step.do("charge", () => {
      if (payload === "rollback") throw new RollbackError();
      if (deploy.isBroken && payload === "broken") throw new RangeError("no");
      return null;
    });
    if (payload === "wait") await step.sleep("payment", "30 days");
    return "done";
  },
);
const other = defineWorkflow({ name: "other" }, async (_, step) => step.sleep("s", "30 days"));

export function createShop({ killing, bulk = true }: { killing?: Killing; bulk?: boolean } = {}) {
  deploy.isBroken = true;
  const time = createFakeTime();
  const memory = createMemoryStore({ now: time.now });
  let counted = 0;
  let isCounting = false;
  let hasBeenKilled = (): void => {};
  const killed = new Promise<void>((resolve) => (hasBeenKilled = resolve));
  const verbs: StoreVerb[] = [];
  const store = createFaultStore(memory, ({ verb }) => {
    if (!isCounting || verb === "claim") return "none";
    verbs.push(verb);
    counted += 1;
    if (counted !== killing?.killAt) return "none";
    harness.restart();
    hasBeenKilled();
    return killing.isApplied ? "none" : "before";
  });
  const harness = createHarness({
    workflows: { order, other },
    bulk,
    store: { store, clock: time },
  });
  const { clock } = harness;
  return {
    harness,
    deploy,
    clock,
    killed,
    /** Verbs that were called since a test began to count. */
    verbs,
    count: () => void (isCounting = true),
    countNoMore: () => void (isCounting = false),
    /** Orders that start in a month. */
    createLater: async (count: number, prefix: string) => {
      await harness.workflows.order.createBatch(
        Array.from({ length: count }, (_, index) => ({
          id: `${prefix}${index}`,
          tags: [prefix],
          delay: "30 days" as const,
        })),
      );
    },
    engine: () => harness.engine,
    create: async (count: number, params: unknown, prefix: string) => {
      for (let from = 0; from < count; from += 100)
        await harness.workflows.order.createBatch(
          Array.from({ length: Math.min(100, count - from) }, (_, index) => ({
            id: `${prefix}${from + index}`,
            params,
            tags: [prefix],
          })),
        );
      await harness.runUntilIdle();
    },
    /** Rows of a job's history. */
    stepsOf: async (id: string) => {
      const run = { workflowName: "escapement-bulk", instanceId: id, runNumber: 1 };
      const page = { pageSize: 100, stepsAfter: null, eventsAfter: null };
      return (await memory.loadHistory({ ...run, ...page })).steps.items;
    },
    detailsOf: (id: string) => harness.status("order", id),
    howMany: async (status: InstanceStatusName) => {
      const asked = { workflows: ["order"], status: [status] };
      const [one] = (await harness.engine.countInstances(asked)).counts;
      return one?.count;
    },
  };
}
