/** The application of every cloud: the fleet's workflow over one store. Web APIs, `node:fs` and `process` only. */
import type { Database } from "@escapement/db";
import { createLibsqlDatabase } from "@escapement/db/libsql";
import { createEngine, type Engine, type EngineOptions } from "@escapement/engine";
import { createSqlStore } from "@escapement/engine/store/sql";
import { createClient } from "@libsql/client/http";
import type { WorkflowsRegistry } from "../../../packages/engine/src/authoring/registry.ts";
import { createFleetWorkflow, logCommits } from "../worker/fleet-workflow.ts";
import type { CloudJob } from "./cloud-job.ts";

export const job = JSON.parse(process.argv[2] ?? "") as CloudJob;

/** What one platform brings along. */
export interface CloudParts extends Pick<EngineOptions<WorkflowsRegistry>, "host" | "platform"> {
  /** The driver for Postgres that the platform has. */
  readonly openPostgres: (url: string) => Database | Promise<Database>;
}

export interface Application {
  readonly engine: Engine;
  close(): Promise<void>;
}

export async function createApplication(parts: CloudParts): Promise<Application> {
  const { openPostgres, ...platform } = parts;
  const { url, logPath, leaseMs, concurrency } = job;
  const database = url.startsWith("postgres")
    ? await openPostgres(url)
    : createLibsqlDatabase(createClient({ url }));
  const store = logCommits(createSqlStore({ database }), logPath);
  const workflows = { FLEET: createFleetWorkflow(job) };
  const logger = { log: logError };
  const engine = createEngine({ workflows, store, logger, leaseMs, concurrency, ...platform });
  return { engine, close: () => store.close() };
}

/** A run that moved to another runner is not worth a line here. */
function logError(level: string, event: string, fields: object): void {
  if (level === "error") console.log(event, JSON.stringify(fields));
}
