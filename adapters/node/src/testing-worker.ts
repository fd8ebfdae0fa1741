/** A worker as a user would write it, for tests of several processes; its step bodies ask the test's gate before they continue. */
import type { Database } from "@escapement/db";
import { createPgDatabase } from "@escapement/db/pg";
import { createLibsqlDatabase } from "@escapement/db/libsql";
import { applyRecommendedPragmas, createSqliteDatabase } from "@escapement/db/sqlite";
import { createEngine, defineWorkflow, type StepContext } from "@escapement/engine";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { createClient } from "@libsql/client";
import Libsql from "libsql";
import { createNodePlatform, serve } from "./index.ts";

/** What a test starts a worker with, as JSON in the variable `WORKER`. */
export interface WorkerSettings {
  readonly name: string;
  readonly url: string;
  /** What step bodies ask before they continue. */
  readonly gate: string;
  readonly leaseMs: number;
  readonly graceMs?: number;
}

const {
  url,
  gate,
  leaseMs,
  graceMs = 100,
  name,
} = JSON.parse(process.env["WORKER"] ?? "") as WorkerSettings;

function open(): Database {
  if (url.startsWith("postgres")) return createPgDatabase({ connectionString: url, max: 4 });
  if (url.startsWith("http")) return createLibsqlDatabase(createClient({ url }));
  const connection = new Libsql(url);
  applyRecommendedPragmas(connection, { synchronous: "NORMAL" });
  return createSqliteDatabase(connection);
}

const pass = async (context: StepContext): Promise<string> => {
  const ask = { worker: name, key: context.idempotencyKey, attempt: context.attempt };
  const init = { method: "POST", body: JSON.stringify(ask), signal: context.signal };
  return await (await fetch(gate, init)).text();
};

const CHAIN = defineWorkflow({ name: "chain" }, async (_event, step) => {
  const words: string[] = [];
  for (const stepName of ["first", "second", "third"]) words.push(await step.do(stepName, pass));
  return words;
});

const database = open();
await migrate(database);
const store = createSqlStore({ database });
const platform = createNodePlatform({ pollMs: 50, graceMs, handleSignals: true });
const engine = createEngine({
  workflows: { CHAIN },
  store,
  platform,
  leaseMs,
  http: { open: true },
});
const server = await serve({ engine, port: 0 });
const worker = platform.start({ server });
console.log(JSON.stringify({ url: server.url }));
await worker.stopped;
await store.close();
console.log("stopped");
