/** The dashboard of the demo, in a process that runs no steps: it outlives every worker that is killed. */
import { existsSync } from "node:fs";
import { withDashboard } from "@escapement/dashboard";
import { createEngine, type Engine } from "@escapement/engine";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { serve } from "@escapement/node";
import { DemoError, toReasons } from "./demo-error.ts";
import { describePlace, openDatabase, type StorePlace } from "./store.ts";
import { defineOrderWorkflow } from "./workflow.ts";

/** A dashboard that is being served. */
export interface Look {
  readonly url: string;
  stop(): Promise<void>;
}

/** An engine that only looks: it has no loop, and the services are never called. */
export function createReader(database: ReturnType<typeof openDatabase>): Engine {
  const never = (): never => {
    throw new Error("the main process runs no steps");
  };
  const services = { reserveStock: never, releaseStock: never, charge: never, writeReceipt: never };
  const workflows = { ORDER: defineOrderWorkflow(services) };
  return createEngine({ workflows, store: createSqlStore({ database }) });
}

const HOST = "127.0.0.1";

/** Serves the dashboard to this machine: it changes nothing, and shows payloads, which are made up. */
export async function serveDashboard(engine: Engine): Promise<Look> {
  const shown = withDashboard(engine, {
    // A page of somebody else, whose name was made to lead here, has another host.
    authorize: ({ url }) => new URL(url).hostname === HOST,
    allow: ["payloads"],
  });
  const server = await serve({ engine: shown, port: 0, hostname: HOST });
  return { url: `${server.url}/dashboard`, stop: () => server.close({ graceMs: 200 }) };
}

/**
 * Serves what a run left in its database, until it is aborted.
 *
 * @param tell is told the address
 * @throws {DemoError} there is no such database
 */
export async function look(
  place: StorePlace,
  tell: (url: string) => void,
  signal: AbortSignal,
): Promise<void> {
  if (place.kind === "file" && !existsSync(place.path))
    throw new DemoError(`${place.path} is not there: run the demo first`);
  const database = openDatabase(place);
  try {
    await migrate(database).catch((error: unknown) => {
      throw new DemoError(`cannot use ${describePlace(place)}: ${toReasons(error)}`);
    });
    const shown = await serveDashboard(createReader(database));
    tell(shown.url);
    await aborted(signal);
    await shown.stop();
  } finally {
    await database.close();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
