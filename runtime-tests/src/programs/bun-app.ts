/** Runs in Bun: the Bun adapter with the contract's application on a SQLite file. Its argument is `BunAppSettings` as JSON. */
import { Database } from "bun:sqlite";
import {
  CONTRACT_ACCESS,
  CONTRACT_TICK,
  CONTRACT_WORKFLOWS,
  createClock,
  createFaults,
  withProbes,
} from "@escapement/adapter-contract/app";
import { createBunPlatform, serve } from "@escapement/bun";
import { createBunSqliteDatabase } from "@escapement/db/bun-sqlite";
import { applyRecommendedPragmas } from "@escapement/db/sqlite";
import { createConsoleLogger, createEngine, type Engine, type Logger } from "@escapement/engine";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import type { BunAppSettings } from "../bun-app-settings.ts";

declare const Bun: {
  cron(expression: string, handler: () => Promise<void>, options: { readonly tz: string }): unknown;
};

/** Runs the platform's safety-net tick, which Bun.cron otherwise does each minute. */
const NET_PATH = "/contract/net";

const settings = JSON.parse(process.argv[2] ?? "{}") as BunAppSettings;

const faults = createFaults(settings.database);
const printed = createConsoleLogger();
const logger: Logger = {
  log: (...line) => {
    faults.logger.log(...line);
    printed.log(...line);
  },
};

async function openEngine(): Promise<Engine> {
  const connection = new Database(settings.file);
  applyRecommendedPragmas(connection, { synchronous: "NORMAL" });
  const database = createBunSqliteDatabase(connection);
  await migrate(database);
  const now = createClock(settings.clockOffMs);
  const engine = createEngine({
    workflows: CONTRACT_WORKFLOWS,
    store: faults.wrapStore(createSqlStore({ database })),
    host: { now },
    http: { ...CONTRACT_ACCESS, ...(settings.hasTickSecrets ? { tick: CONTRACT_TICK, now } : {}) },
    logger,
  });
  return withProbes(engine, faults);
}

/** An engine that only Bun.cron drives, and whose ticks fail if they are to. */
const withoutLoop = (engine: Engine): Engine => ({
  ...engine,
  startLoop: () => ({ stop: () => Promise.resolve() }),
  tick: (input) =>
    settings.ticksFail ? Promise.reject(new TypeError("the database is away")) : engine.tick(input),
});

const nets: (() => Promise<void>)[] = [];
const realCron = Bun.cron;
Bun.cron = (expression, handler, options) => {
  nets.push(handler);
  return realCron(expression, handler, options);
};

const engine = await openEngine();
const server = serve({
  engine: {
    fetch: async (request) => {
      if (new URL(request.url).pathname !== NET_PATH) return engine.fetch(request);
      for (const runNet of nets) await runNet();
      return new Response("ran");
    },
  },
  port: 0,
});
const driven = settings.losesWakes ? withoutLoop(engine) : engine;
const platform = createBunPlatform({
  // Nothing may come from polling.
  pollMs: 3_600_000,
  handleSignals: true,
  logger,
  ...(settings.cron === undefined ? {} : { cron: settings.cron }),
});
platform.attach(driven);
const worker = platform.start({ server });
console.log(`listening ${server.url}`);
await worker.stopped;
console.log("stopped");
