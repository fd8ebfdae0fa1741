/** A worker process as the README has it: an engine on its database and Node's loop, until SIGTERM. */
import { fileURLToPath } from "node:url";
import type { Database } from "@escapement/db";
import { createEngine } from "@escapement/engine";
import { createSqlStore } from "@escapement/engine/store/sql";
import { createNodePlatform } from "@escapement/node";
import { openLedger } from "./ledger.ts";
import { createWorkflows } from "./program/workflows.ts";
import { createSteadyWorkflow, stopPathOf } from "./recovery/steady.ts";
import type { WorkerJob } from "./worker-job.ts";

async function openDatabase({ url, batchTimeoutMs }: WorkerJob): Promise<Database> {
  if (url.startsWith("postgres")) {
    const { createPgDatabase } = await import("@escapement/db/pg");
    const limits = batchTimeoutMs === null ? {} : { batchTimeoutMs };
    return createPgDatabase({ connectionString: url, ...limits });
  }
  if (url.startsWith("http")) {
    const [{ createClient }, { createLibsqlDatabase }] = await Promise.all([
      import("@libsql/client"),
      import("@escapement/db/libsql"),
    ]);
    return createLibsqlDatabase(createClient({ url }));
  }
  const [{ default: Libsql }, { applyRecommendedPragmas, createSqliteDatabase }] =
    await Promise.all([import("libsql"), import("@escapement/db/sqlite")]);
  const connection = new Libsql(fileURLToPath(url));
  applyRecommendedPragmas(connection);
  return createSqliteDatabase(connection);
}

const job = JSON.parse(process.argv[2] ?? "") as WorkerJob;
const database = await openDatabase(job);
const append = openLedger(job.ledgerPath);
const platform = createNodePlatform({
  handleSignals: true,
  ...(job.pollMs === null ? {} : { pollMs: job.pollMs }),
});
createEngine({
  workflows:
    job.program === "chaos"
      ? createWorkflows(append, job.version)
      : { STEADY: createSteadyWorkflow(append, stopPathOf(job.ledgerPath)) },
  store: createSqlStore({ database }),
  platform,
  runnerId: job.runnerId,
  ...(job.leaseMs === null ? {} : { leaseMs: job.leaseMs }),
});
const { stopped } = platform.start();
process.stdout.write("ready\n");
await stopped;
await database.close();
