/** The worker: engine, HTTP API and loop in one process. The main process kills it again and again. */
import { bearerAuth, createConsoleLogger, createEngine, type Logger } from "@escapement/engine";
import { createSqlStore } from "@escapement/engine/store/sql";
import { createNodePlatform, serve } from "@escapement/node";
import { reportTrouble, startedBy, tellParent } from "./child-side.ts";
import { charge } from "./payment-client.ts";
import { writeReceipt } from "./receipts.ts";
import { openStockRoom } from "./stock.ts";
import { countTrips, openDatabase, type StorePlace } from "./store.ts";
import { defineOrderWorkflow } from "./workflow.ts";

/** What the main process starts it with. */
export interface WorkerSettings {
  readonly place: StorePlace;
  readonly paymentUrl: string;
  readonly folder: string;
  readonly stockPath: string;
  readonly receiptsFolder: string;
  readonly tripsFolder: string;
  /** Lets those in who bring it. */
  readonly apiToken: string;
}

/** Short, so that the runs of a killed worker are taken up quickly. A real worker would keep the default of 30 s. */
const LEASE_MS = 3000;

const settings = startedBy() as WorkerSettings;
const stock = openStockRoom(settings.stockPath);
const consoleLogger = createConsoleLogger("warn");
const logger: Logger = {
  log: (level, event, fields) => {
    reportTrouble(JSON.stringify(fields), settings.folder);
    consoleLogger.log(level, event, fields);
  },
};

/** Tells the main process when the disk is full; the step fails all the same, and is tried again. */
async function watchDisk<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    reportTrouble(error, settings.folder);
    throw error;
  }
}

const ORDER = defineOrderWorkflow({
  reserveStock: (order, { idempotencyKey }) =>
    watchDisk(() => {
      stock.reserve(idempotencyKey, order);
      return { reservationId: idempotencyKey };
    }),
  releaseStock: (reservationId) => watchDisk(() => stock.release(reservationId)),
  charge: (order, call) => charge(settings.paymentUrl, order, call),
  writeReceipt: (receipt) => watchDisk(() => writeReceipt(settings.receiptsFolder, receipt)),
});

const database = countTrips(openDatabase(settings.place), settings.tripsFolder);
const platform = createNodePlatform({ pollMs: 500, graceMs: 2000 });
const engine = createEngine({
  workflows: { ORDER },
  store: createSqlStore({ database }),
  platform,
  logger,
  leaseMs: LEASE_MS,
  http: { authorizeRequest: bearerAuth(settings.apiToken) },
});
const server = await serve({ engine, port: 0 });
const loop = platform.start({ server });
process.once("SIGTERM", () => void loop.stop());
tellParent({ kind: "ready", url: server.url });
await loop.stopped;
process.exit();
