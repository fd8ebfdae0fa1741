/** Runs in Deno: the Deno adapter with the contract's application on a SQLite file. Its argument is `DenoContractSettings` as JSON. */
import { DatabaseSync } from "node:sqlite";
import {
  CONTRACT_ACCESS,
  CONTRACT_TICK,
  CONTRACT_WORKFLOWS,
  createClock,
  createFaults,
  withProbes,
} from "@escapement/adapter-contract/app";
import { createNodeSqliteDatabase } from "@escapement/db/node-sqlite";
import { applyRecommendedPragmas } from "@escapement/db/sqlite";
import { createDenoPlatform, type DenoRuntime, handler } from "@escapement/deno";
import { createEngine } from "@escapement/engine";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import type { DenoContractSettings } from "../deno-contract-settings.ts";

interface Server {
  serve(
    options: {
      readonly port: number;
      readonly hostname: string;
      readonly onListen: () => void;
    },
    handle: (request: Request) => Promise<Response>,
  ): unknown;
  readonly args: readonly string[];
}

const { Deno } = globalThis as unknown as { readonly Deno: DenoRuntime & Server };
const settings = JSON.parse(Deno.args[0] ?? "{}") as DenoContractSettings;
const url = `http://127.0.0.1:${settings.port}`;

/** Fires the cron, as Deno does each minute; its run may stay for longer than the caller waits. */
const NET_PATH = "/contract/net";

// The platform reads the process clock by itself. The database has its own.
const realNow = Date.now;
Date.now = () => realNow() + (settings.clockOffMs ?? 0);

const connection = new DatabaseSync(settings.file);
applyRecommendedPragmas(connection, { synchronous: "NORMAL" });
const database = createNodeSqliteDatabase(connection);
await migrate(database);
const faults = createFaults(settings.database);
const { logger } = faults;
const now = createClock();
const { signingKeys } = CONTRACT_TICK;
const selfCall = { url: `${url}/api/workflows/_runner/tick`, signingKeys };
const nets: (() => Promise<void>)[] = [];
// Registered, but never fired by the clock: nothing may come by itself.
const deno: DenoRuntime = {
  ...Deno,
  env: Deno.env,
  cron: (_name, _schedule, run) => nets.push(run),
};
const callsItself = settings.callsItself && settings.hasTickSecrets;
const platform = createDenoPlatform({ deno, logger, ...(callsItself ? { selfCall } : {}) });
const engine = withProbes(
  createEngine({
    workflows: CONTRACT_WORKFLOWS,
    store: faults.wrapStore(createSqlStore({ database })),
    logger,
    http: CONTRACT_ACCESS,
    ...(settings.losesWakes ? {} : { platform }),
  }),
  faults,
);
// An engine that loses wakes is made without the platform, and is ticked all the same.
if (settings.losesWakes) platform.attach(engine);
platform.start();
const tick = settings.hasTickSecrets ? { tick: CONTRACT_TICK } : {};
const handle = handler(engine, { platform, logger, now, ...tick });
Deno.serve(
  {
    port: settings.port,
    hostname: "127.0.0.1",
    onListen: () => console.log(`listening ${url}`),
  },
  async (request) => {
    if (new URL(request.url).pathname !== NET_PATH) return handle(request);
    // Deno prints what a cron's run rejects with, and goes on.
    for (const run of nets) void run().catch(() => undefined);
    return new Response("fired");
  },
);
