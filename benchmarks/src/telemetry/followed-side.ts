/**
 * One configuration of a comparison of the engine with and without spans, on Postgres, in a process of its own. Arguments: the
 * configuration's name, and the URL of a server. A task is a number of workflows; the answer is what each cost.
 */
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { openTelemetry } from "@escapement/otel";
import { trace } from "@opentelemetry/api";
import { createCountingDatabase } from "../extras/counting-database.ts";
import { Milestones } from "../milestones.ts";
import { createOurs } from "../ours.ts";
import { CONCURRENCY, CONNECTIONS } from "../sizes.ts";
import { openPostgres } from "../stores/postgres.ts";
import { inParallel } from "../workloads/in-parallel.ts";
import { CONFIGURATIONS } from "./configurations.ts";
import { makeSpans } from "./make-spans.ts";
import { registerSdk } from "./register-sdk.ts";

/** null: to close. */
export type FollowedTask = { readonly workflows: number } | null;

/** Of one workflow of three steps, in microseconds. */
export interface FollowedCost {
  /** Processor time of the process, its garbage collection included. */
  readonly cpuUs: number;
  /** To the database. */
  readonly trips: number;
}

const [, , name, url = ""] = process.argv;
const {
  share = null,
  hasSdk = false,
  makesSpans = false,
} = CONFIGURATIONS.find((configuration) => configuration.name === name) ?? {};
const milestones = new Milestones();
const flush = hasSdk ? registerSdk(share ?? 1) : () => Promise.resolve();
const telemetry = share === null ? undefined : openTelemetry({ wholeStories: true });
const { database, count: countTrips } = createCountingDatabase(
  (await openPostgres(url)).openDatabase(CONNECTIONS),
);
await migrate(database);
const engine = createOurs(createSqlStore({ database }), milestones, { telemetry });
process.on("message", (task: FollowedTask) => void answer(task));
process.send?.("ready");

async function answer(task: FollowedTask): Promise<void> {
  if (task !== null) return void process.send?.(await measure(task.workflows));
  await engine.close();
  process.disconnect();
}

async function measure(count: number): Promise<FollowedCost> {
  const before = process.cpuUsage();
  const { trips } = await countTrips(async () => {
    const ids = await inParallel(count, CONCURRENCY, (k) =>
      engine.start("three", { key: `key-${k}` }),
    );
    if (makesSpans) for (const id of ids) makeSpans(trace.getTracer("spans"), id);
    await Promise.all(ids.map((id) => engine.ended(id)));
  });
  await flush();
  const { user, system } = process.cpuUsage(before);
  milestones.clear();
  return {
    cpuUs: (user + system) / count,
    trips: trips / count,
  };
}
