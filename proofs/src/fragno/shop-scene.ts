/** A scene of the orders' proofs: a database, the app that takes requests, and processes that drive it. */
import { onTestFinished } from "vitest";
import { join } from "node:path";
import type { Row } from "@escapement/db";
import type { SqlValue } from "@escapement/db/client";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import {
  bundleWorker,
  spawnWorker,
  type Worker,
  type WorkerBundle,
} from "../worker/spawn-worker.ts";
import { type App, openApp } from "./open-app.ts";
import { type OrderEffect, type OrdersJob, readOrderEffects } from "./orders-job.ts";

export const bundleOrdersProcess = (): Promise<WorkerBundle> =>
  bundleWorker(new URL("orders-process.ts", import.meta.url));

export interface ShopScene {
  /** Takes requests; drives nothing. */
  readonly app: App;
  readonly workers: readonly Worker[];
  /**
   * Starts a process that drives hooks and workflows, and waits until it does.
   *
   * @param env added to this process's own
   * @param others what its job has beside the scene's
   */
  spawn(env?: Readonly<Record<string, string>>, others?: Partial<OrdersJob>): Promise<Worker>;
  effects(): readonly OrderEffect[];
  /** Rows of a statement, straight from the database. */
  query(text: string, values?: readonly SqlValue[]): Promise<readonly Row[]>;
  /** Tells the processes to end. @returns how those ended that were not killed */
  end(): Promise<readonly { readonly code: number | null; readonly errors: string }[]>;
}

export type SceneOptions = Omit<OrdersJob, "kind" | "logPath">;

/** Opens the scene, and closes what was opened in it. */
export async function withShop(
  bundle: WorkerBundle,
  options: SceneOptions,
  use: (scene: ShopScene) => Promise<void>,
): Promise<void> {
  const directory = temporaryDirectory();
  const job = { kind: "orders", ...options, logPath: join(directory.path, "effects.log") } as const;
  const app = await openApp(job, 20);
  const workers: Worker[] = [];
  // A test whose time is up goes no further: its processes would work on beside all later tests.
  onTestFinished(() => {
    for (const worker of workers) worker.kill("SIGKILL");
  });
  const scene: ShopScene = {
    app,
    workers,
    async spawn(env = {}, others = {}) {
      const worker = spawnWorker(bundle, { ...job, ...others }, env);
      workers.push(worker);
      await Promise.race([isReady(scene, worker), worker.exited]);
      return worker;
    },
    effects: () => readOrderEffects(job.logPath),
    async query(text, values = []) {
      const result = await app.database.batch([{ text, values }]);
      return result.kind === "committed" ? (result.rows[0] ?? []) : [];
    },
    async end() {
      for (const worker of workers) worker.kill("SIGTERM");
      const exits = await Promise.all(workers.map((worker) => worker.exited));
      return exits
        .filter(({ signal }) => signal !== "SIGKILL")
        .map(({ code, errors }) => ({ code, errors }));
    },
  };
  try {
    await use(scene);
  } finally {
    for (const worker of workers) worker.kill("SIGKILL");
    await Promise.all(workers.map((worker) => worker.exited));
    await app.database.close();
    directory.remove();
  }
}

async function isReady({ effects }: ShopScene, { pid }: Worker): Promise<void> {
  while (!effects().some((effect) => effect.kind === "ready" && effect.pid === pid))
    await new Promise((resolve) => setTimeout(resolve, 20));
}

/** What is in the tables, one figure each: what 50 orders must have made, and no more. */
/** Hooks of creates; runs that come due by time file others. */
const IS_WAKE = `"namespace" = 'workflows' and cast("payload" as text) like '%create%'`;

export async function countShop({ query }: ShopScene): Promise<Readonly<Record<string, number>>> {
  const [row = {}] = await query(`select
    (select count(*) from "order_orders") as "orders",
    (select count(*) from "workflow_instance_workflows") as "instances",
    (select count(*) from "workflow_instance_workflows" where "status" = 'complete') as "complete",
    (select count(*) from "payment_orders") as "payments",
    (select count(distinct "orderId" || ' ' || "stepName") from "payment_orders") as "differentPayments",
    (select count(*) from "fragno_hooks" where "namespace" = 'orders') as "hooks",
    (select count(*) from "fragno_hooks" where "namespace" = 'orders' and "status" = 'completed') as "hooksCompleted",
    (select count(*) from "fragno_hooks" where ${IS_WAKE}) as "wakes",
    (select count(*) from "fragno_hooks" where ${IS_WAKE} and "status" = 'completed') as "wakesCompleted",
    (select count(*) from "fragno_hooks" where "status" = 'failed') as "hooksFailed"`);
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)]));
}
