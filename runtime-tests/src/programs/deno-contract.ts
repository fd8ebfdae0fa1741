/** Runs in Deno: the Deno adapter with the contract's application on a SQLite file. Arguments: the file, `FixtureOptions` as JSON. */
import { DatabaseSync } from "node:sqlite";
import type { FixtureOptions } from "@escapement/adapter-contract";
import {
  CONTRACT_TICK,
  CONTRACT_WORKFLOWS,
  createClock,
  createFaults,
  withProbes,
} from "@escapement/adapter-contract/app";
import { createNodeSqliteDatabase } from "@escapement/db/node-sqlite";
import { applyRecommendedPragmas } from "@escapement/db/sqlite";
import { createDenoPlatform, type DenoRuntime, handler, scheduler } from "@escapement/deno";
import { createEngine } from "@escapement/engine";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";

interface Server {
  serve(
    options: {
      readonly port: number;
      readonly hostname: string;
      readonly onListen: (address: { readonly port: number }) => void;
    },
    handle: (request: Request) => Promise<Response>,
  ): unknown;
  readonly args: readonly string[];
}

const { Deno } = globalThis as unknown as { readonly Deno: DenoRuntime & Server };
const [path = "", json = "{}"] = Deno.args;
const {
  hasTickSecrets,
  losesWakes,
  database: state,
  clockOffMs = 0,
} = JSON.parse(json) as FixtureOptions;

/** Fires the cron, as Deno does each minute; its run may stay for longer than the caller waits. */
const NET_PATH = "/contract/net";

// The platform reads the process clock by itself. The database has its own.
const realNow = Date.now;
Date.now = () => realNow() + clockOffMs;

const connection = new DatabaseSync(path);
applyRecommendedPragmas(connection, { synchronous: "NORMAL" });
const database = createNodeSqliteDatabase(connection);
await migrate(database);
const faults = createFaults(state);
const { logger } = faults;
const now = createClock();
const platform = createDenoPlatform({ logger });
const engine = withProbes(
  createEngine({
    workflows: CONTRACT_WORKFLOWS,
    store: faults.wrapStore(createSqlStore({ database })),
    logger,
    ...(losesWakes ? {} : { platform }),
  }),
  faults,
);
const nets: (() => Promise<void>)[] = [];
scheduler(engine, {
  platform,
  // Registered, but never fired by the clock: nothing may come by itself.
  deno: {
    ...Deno,
    env: Deno.env,
    cron: (_name, _schedule, run) => nets.push(run),
  },
});
const tick = hasTickSecrets ? { tick: CONTRACT_TICK } : {};
const handle = handler(engine, { platform, logger, now, ...tick });
Deno.serve(
  {
    port: 0,
    hostname: "127.0.0.1",
    onListen: ({ port }) => console.log(`listening http://127.0.0.1:${port}`),
  },
  async (request) => {
    if (new URL(request.url).pathname !== NET_PATH) return handle(request);
    // Deno prints what a cron's run rejects with, and goes on.
    for (const run of nets) void run().catch(() => undefined);
    return new Response("fired");
  },
);
