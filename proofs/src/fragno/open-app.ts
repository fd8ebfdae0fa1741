/** The orders' app: both fragments on one adapter, and the processor that drives them. */
import { DatabaseError } from "@escapement/db/client";
import {
  createDurableHooksProcessor,
  createFragnoAdapter,
  createWorkflowsFragment,
  defaultFragnoRuntime,
} from "@escapement/fragno";
import { createConsoleLogger } from "@escapement/engine";
import { migrate } from "@fragno-dev/db";
import { openDatabase } from "../subjects/open-database.ts";
import { appendLine } from "../worker/line-log.ts";
import {
  createFulfilOrder,
  createPatientOrder,
  type OrderWorkflowOptions,
} from "./order-workflows.ts";
import { createOrdersFragment, type PlacedOrder } from "./orders-fragment.ts";
import { type OrdersJob, readOrderEffects } from "./orders-job.ts";

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const WORKFLOWS = { fulfil: createFulfilOrder, patient: createPatientOrder } as const;

/** Migrates, and gives the fragments and their processor, not started. */
export async function openApp(job: Omit<OrdersJob, "kind">, maxConnections = 4) {
  const database = await openDatabase(job.url, { maxConnections });
  const databaseAdapter = createFragnoAdapter({ database });
  const readClock = async (): Promise<number> => {
    const result = await database.batch([
      { text: `select ${database.dialect.nowMs} as now`, values: [] },
    ]);
    return result.kind === "committed" ? Number(result.rows[0]?.[0]?.["now"]) : Number.NaN;
  };
  const record: OrderWorkflowOptions["record"] = async (effect) =>
    appendLine(job.logPath, { ...effect, pid: process.pid, atMs: await readClock() });
  const workflow = WORKFLOWS[job.workflow]({ record, bodyMs: job.bodyMs });
  const { leaseMs } = job;
  const workflows = createWorkflowsFragment(
    {
      workflows: { ORDER: workflow },
      runtime: defaultFragnoRuntime,
      leaseMs,
      logger: createConsoleLogger("error"),
      concurrency: 8,
      async onWorkflowEnqueued({ instanceId: orderId, reason }, { engine, idempotencyKey: key }) {
        // What comes due by time has hooks of its own.
        if (reason === "create") await record({ kind: "enqueued", orderId, key });
        // A tick of the patient's would last as long as its long step, and the processor's pass with it.
        if (job.workflow === "fulfil") await engine.tick();
      },
    },
    { databaseAdapter },
  );
  const orders = createOrdersFragment(
    { workflowName: workflow.name, onPlaced: createHook(job, record) },
    { databaseAdapter },
    { workflows: workflows.services },
  );
  await migrate(workflows);
  await migrate(orders);
  const processor = createDurableHooksProcessor([workflows, orders], {
    pollIntervalMs: 50,
    leaseMs,
    // A database that is away for a moment is not worth a line; whatever else fails must be seen.
    onError: (error) => {
      if (!DatabaseError.is(error) || !error.retryable) console.error(error);
    },
  });
  return { database, workflows, orders, processor, record };
}

export type App = Awaited<ReturnType<typeof openApp>>;

/** Writes down that it runs; the patient's fails the first time. */
function createHook(
  { logPath, hookMs, lastingHooks = Infinity, workflow }: Omit<OrdersJob, "kind">,
  record: OrderWorkflowOptions["record"],
) {
  return async ({ orderId, idempotencyKey: key }: PlacedOrder): Promise<void> => {
    await record({ kind: "hook.start", orderId, key });
    const all = readOrderEffects(logPath).filter(({ kind }) => kind === "hook.start");
    const starts = all.filter((effect) => effect.orderId === orderId);
    if (workflow === "patient" && starts.length === 1) throw new TypeError("the first time fails");
    if (all.length > lastingHooks) await new Promise(() => undefined);
    await wait(hookMs);
    await record({ kind: "hook.end", orderId, key });
  };
}
