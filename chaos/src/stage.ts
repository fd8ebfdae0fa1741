/** What a run is made of: a database, its fleet, and an engine past the proxy for those who look and ask. */
import { join } from "node:path";
import type { Database } from "@escapement/db";
import { createEngine, type Engine, type WorkflowDefinition } from "@escapement/engine";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { openDatabase } from "../../proofs/src/subjects/open-database.ts";
import type { WorkerBundle } from "../../proofs/src/worker/spawn-worker.ts";
import { type Clocks, createClocks } from "./faults/clocks.ts";
import { Fleet } from "./fleet.ts";
import { type AppendToLedger, openLedger } from "./ledger.ts";
import type { Subject } from "./subjects/subject.ts";
import type { WorkerJob } from "./worker-job.ts";

export interface StageOptions {
  readonly openSubject: () => Promise<Subject>;
  readonly bundle: WorkerBundle;
  /** Processes. */
  readonly size: number;
  /** What all workers are told alike. */
  readonly settings: Pick<WorkerJob, "program" | "leaseMs" | "pollMs" | "batchTimeoutMs">;
  readonly createWorkflows: (
    append: AppendToLedger,
  ) => Readonly<Record<string, WorkflowDefinition>>;
  /** The last process has a clock that can be set wrong. */
  readonly hasWrongClock: boolean;
}

export interface Stage {
  readonly subject: Subject;
  readonly database: Database;
  readonly engine: Engine;
  readonly fleet: Fleet;
  readonly clocks: Clocks | null;
  readonly append: AppendToLedger;
  readonly ledgerPath: string;
}

/** Sets the stage, gives it to `use`, and clears it away however that ends. */
export async function withStage<T>(
  options: StageOptions,
  use: (stage: Stage) => Promise<T>,
): Promise<T> {
  const closing: (() => unknown)[] = [];
  try {
    return await use(await openStage(options, (close) => void closing.push(close)));
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

async function openStage(
  options: StageOptions,
  later: (close: () => unknown) => void,
): Promise<Stage> {
  const subject = await options.openSubject();
  later(() => subject.remove());
  const directory = temporaryDirectory();
  later(() => directory.remove());
  const ledgerPath = join(directory.path, "ledger");
  const append = openLedger(ledgerPath);
  const database = await openDatabase(subject.directUrl, { maxConnections: 4 });
  later(() => database.close());
  await migrate(database);
  const engine = createEngine({
    workflows: options.createWorkflows(append),
    store: createSqlStore({ database }),
    logger: { log: () => undefined },
  });
  // A file has no clock but its processes' own, which are one machine's.
  const hasWrongClock = options.hasWrongClock && subject.name !== "file";
  const clocks = hasWrongClock ? createClocks(directory.path, [options.size - 1]) : null;
  const fleet = new Fleet({
    bundle: options.bundle,
    size: options.size,
    envOf: (slot) => clocks?.envOf(slot) ?? {},
    jobOf: (slot, generation) => ({
      ...options.settings,
      url: subject.url,
      ledgerPath,
      runnerId: `chaos-${slot}`,
      version: (slot + generation) % 2 === 0 ? "a" : "b",
    }),
  });
  later(() => fleet.end(0));
  return { subject, database, engine, fleet, clocks, append, ledgerPath };
}
