/** One run of the demo: starts the processes, kills the worker, and looks at what is left. */
import { randomBytes } from "node:crypto";
import { statfsSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { Engine, InstanceStatus } from "@escapement/engine";
import { migrate } from "@escapement/engine/store/sql";
import { approveAll } from "./approver.ts";
import { audit } from "./audit.ts";
import { loadInstances, sumHistories, takeCensus } from "./census.ts";
import { createChance } from "./chance.ts";
import { type Child, startChild } from "./child-process.ts";
import type { ChildMessage } from "./child-side.ts";
import { DemoError, toReasons } from "./demo-error.ts";
import type { Display } from "./display.ts";
import { createReader, serveDashboard } from "./look.ts";
import type { DemoOptions } from "./options.ts";
import { isLarge, type Order } from "./order.ts";
import { createOrdersApi, type OrdersApi } from "./orders-api.ts";
import type { LedgerView } from "./payment-ledger.ts";
import { readReceipts } from "./receipts.ts";
import type { Results } from "./report.ts";
import type { RunFolder } from "./run-folder.ts";
import { createStallWatch } from "./stall.ts";
import { openStockRoom } from "./stock.ts";
import { describePlace, openDatabase, readTrips, type StorePlace } from "./store.ts";
import { keepWorker, type WorkerKeeper } from "./worker-keeper.ts";

export interface DemoInput {
  readonly options: DemoOptions;
  readonly orders: readonly Order[];
  readonly folder: RunFolder;
  readonly place: StorePlace;
  readonly display: Display;
  readonly startedAt: number;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

export interface DemoEnd {
  readonly results: Results;
  /** What is wrong; none when the ledger is right. */
  readonly problems: readonly string[];
}

interface Demo extends DemoInput {
  readonly engine: Engine;
  readonly idPrefix: string;
  /** Of this run of the demo only. */
  readonly apiToken: string;
  readonly toInstanceId: (order: Order) => string;
  readonly large: readonly Order[];
  /** Ends everything: when all is done, on Ctrl-C, and on trouble. */
  readonly over: AbortController;
  /** Why the demo cannot go on. */
  trouble: DemoError | null;
  charges: number;
  requests: number;
  approved: number;
}

const LOOK_EVERY_MS = 250;
const NEEDED_BYTES = 30 * 1024 * 1024;
const APPROVE_EVERY_MS = 300;
/** Far longer than any wait of the workflow. */
const MAX_STILL_MS = 60_000;

/** @throws {DemoError} the demo cannot go on; run again, it continues. AbortError on Ctrl-C. */
export async function runDemo(input: DemoInput): Promise<DemoEnd> {
  assertFreeSpace(input.folder.path);
  const database = openDatabase(input.place);
  try {
    await migrate(database).catch((error: unknown) => {
      throw new DemoError(`cannot use ${describePlace(input.place)}: ${toReasons(error)}`);
    });
    const engine = createReader(database);
    const idPrefix = `${input.folder.runId}-`;
    const demo: Demo = {
      ...input,
      engine,
      idPrefix,
      apiToken: randomBytes(32).toString("base64url"),
      toInstanceId: (order) => idPrefix + order.id,
      large: input.orders.filter(isLarge),
      over: new AbortController(),
      trouble: null,
      charges: 0,
      requests: 0,
      approved: 0,
    };
    input.signal.addEventListener("abort", () => demo.over.abort());
    const shown = await serveDashboard(engine);
    input.display.tell(`dashboard: ${shown.url}`);
    try {
      return await withPayments(demo);
    } finally {
      await shown.stop();
    }
  } finally {
    await database.close();
  }
}

async function withPayments(demo: Demo): Promise<DemoEnd> {
  const { folder, options } = demo;
  const settings = { ledgerPath: folder.ledgerPath, seed: options.seed, pace: options.pace };
  const payments = await startChild({
    program: new URL("./payment-service.ts", import.meta.url),
    settings,
    onMessage: (message) => hear(demo, message),
  });
  if (typeof payments === "string")
    throw new DemoError(`the payment service did not start: ${payments}`);
  void payments.exited.then(({ how, lastWords }) =>
    giveUp(demo, `the payment service ended: ${how}\n${lastWords}`.trim()),
  );
  try {
    await runOrders(demo, payments);
    return await gatherEvidence(demo, payments);
  } finally {
    demo.over.abort();
    payments.kill("SIGKILL");
  }
}

async function runOrders(demo: Demo, payments: Child): Promise<void> {
  const keeper = startKeeper(demo, payments.url);
  const { over, toInstanceId, apiToken } = demo;
  const failed = (error: unknown): void => {
    if (!over.signal.aborted) giveUp(demo, error instanceof Error ? error.message : String(error));
  };
  keeper.done.catch(failed);
  const api = createOrdersApi({
    workerUrl: () => keeper.url,
    apiToken,
    toInstanceId,
    signal: over.signal,
  });
  const work = placeOrders(demo, api).catch(failed);
  try {
    await watch(demo, keeper);
  } finally {
    over.abort();
    await Promise.all([work, keeper.done.catch(() => undefined)]);
  }
  demo.display.end();
}

function startKeeper(demo: Demo, paymentUrl: string): WorkerKeeper {
  const { folder, options, place, display, over, apiToken } = demo;
  const chance = createChance(options.seed + 77 * folder.killCount);
  const { stockPath, receiptsFolder, tripsFolder } = folder;
  return keepWorker({
    settings: {
      place,
      paymentUrl,
      folder: folder.path,
      stockPath,
      receiptsFolder,
      tripsFolder,
      apiToken,
    },
    killCount: options.killCount,
    nextLifeMs: () => (1500 + 2500 * chance()) * options.pace,
    onMessage: (message) => hear(demo, message),
    onStart: (worker, number) => display.tell(`worker ${number} started (process ${worker.pid})`),
    onFailedStart: (lastWords, number) =>
      display.tell(`worker ${number} did not start: ${lastWords}`),
    onKill: (worker, livedMs) => {
      folder.noteKill(worker.pid);
      const lived = (livedMs / 1000).toFixed(1);
      display.tell(`SIGKILL to process ${worker.pid} after ${lived} s of work`);
    },
    onDeath: (worker, how) => display.tell(`process ${worker.pid} is gone (${how}), not by us`),
    signal: over.signal,
  });
}

async function placeOrders(demo: Demo, api: OrdersApi): Promise<void> {
  await api.createAll(demo.orders);
  await approveAll({
    api,
    orders: demo.large,
    everyMs: APPROVE_EVERY_MS * demo.options.pace,
    signal: demo.over.signal,
    onApproved: () => {
      demo.approved += 1;
    },
  });
}

/** Shows progress until every instance has ended. */
async function watch(demo: Demo, keeper: WorkerKeeper): Promise<void> {
  const { orders, large, over, display } = demo;
  const stall = createStallWatch(Date.now);
  for (;;) {
    const census = takeCensus(await loadAll(demo));
    if (demo.trouble !== null) throw demo.trouble;
    over.signal.throwIfAborted();
    display.show({
      census,
      total: orders.length,
      charges: demo.charges,
      requests: demo.requests,
      approved: demo.approved,
      largeCount: large.length,
      kills: demo.folder.killCount,
      isWorkerUp: keeper.url !== null,
    });
    if (census.complete + census.failed === orders.length) return;
    const { charges, requests, approved, folder } = demo;
    if (stall.stillMs([census, charges, requests, approved, folder.killCount]) > MAX_STILL_MS)
      throw new DemoError(
        `nothing has moved for ${MAX_STILL_MS / 1000} s; the worker's last words:\n${keeper.lastWords || "none"}`,
      );
    await wait(LOOK_EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined);
  }
}

const loadAll = ({
  engine,
  idPrefix,
  orders,
}: Demo): Promise<ReadonlyMap<string, InstanceStatus>> =>
  loadInstances(engine, { idPrefix, count: orders.length });

async function gatherEvidence(demo: Demo, payments: Child): Promise<DemoEnd> {
  const { orders, folder, toInstanceId, engine } = demo;
  const ledger = (await (await fetch(`${payments.url}/ledger`)).json()) as LedgerView;
  const receipts = readReceipts(folder.receiptsFolder);
  const instances = await loadAll(demo);
  const reservationCount = openStockRoom(folder.stockPath).count;
  const problems = audit({ orders, toInstanceId, instances, ledger, receipts, reservationCount });
  const results: Results = {
    orderCount: orders.length,
    completeCount: takeCensus(instances).complete,
    receiptCount: receipts.size,
    largeCount: demo.large.length,
    ledger,
    killCount: folder.killCount,
    steps: await sumHistories(engine, instances.keys()),
    trips: readTrips(folder.tripsFolder),
    durationMs: Date.now() - demo.startedAt,
    place: describePlace(demo.place),
    isContinued: folder.isContinued,
  };
  return { results, problems };
}

function hear(demo: Demo, message: ChildMessage): void {
  if (message.kind === "charges") {
    demo.charges = message.charges;
    demo.requests = message.requests;
  } else if (message.kind === "trouble") giveUp(demo, message.message);
}

function giveUp(demo: Demo, why: string): void {
  if (demo.over.signal.aborted) return;
  demo.trouble ??= new DemoError(why);
  demo.over.abort();
}

function assertFreeSpace(path: string): void {
  const { bavail, bsize } = statfsSync(path);
  if (bavail * bsize >= NEEDED_BYTES) return;
  const left = Math.floor((bavail * bsize) / 1024 / 1024);
  throw new DemoError(
    `only ${left} MiB are left on the disk of ${path}; the demo wants ${NEEDED_BYTES / 1024 / 1024} MiB`,
  );
}
