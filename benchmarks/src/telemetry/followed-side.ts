/**
 * One configuration of a comparison of the engine with and without spans, in a process of its own. Arguments: the configuration's name,
 * and the URL of a Postgres server; without it, the store is memory. A task is a number of workflows; the answer is what each cost.
 */
import { createMemoryStore } from "@escapement/engine/store/memory";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { openTelemetry } from "@escapement/otel";
import type { Contender } from "../contender.ts";
import { Milestones } from "../milestones.ts";
import { createOurs } from "../ours.ts";
import { CONCURRENCY, CONNECTIONS } from "../sizes.ts";
import { openPostgres } from "../stores/postgres.ts";
import { inParallel } from "../workloads/in-parallel.ts";
import { CONFIGURATIONS } from "./configurations.ts";
import { registerSdk } from "./register-sdk.ts";

/** null: to close. */
export type FollowedTask = { readonly workflows: number } | null;

/** Of one workflow of three steps, in microseconds. */
export interface FollowedCost {
  /** Processor time of the process, its garbage collection included. */
  readonly cpuUs: number;
  readonly wallUs: number;
}

const { share = null, hasSdk = false } =
  CONFIGURATIONS.find(({ name }) => name === process.argv[2]) ?? {};
const url = process.argv[3];
const milestones = new Milestones();
const flush = hasSdk ? registerSdk(share ?? 1) : () => Promise.resolve();
const telemetry = share === null ? undefined : openTelemetry();
const onServer = url === undefined ? null : await openOnServer(url);
process.on("message", (task: FollowedTask) => void answer(task));
process.send?.("ready");

async function openOnServer(serverUrl: string): Promise<Contender> {
  const stage = await openPostgres(serverUrl);
  const database = stage.openDatabase(CONNECTIONS);
  await migrate(database);
  return createOurs(createSqlStore({ database }), milestones, { telemetry });
}

async function answer(task: FollowedTask): Promise<void> {
  if (task === null) {
    await onServer?.close();
    return process.disconnect();
  }
  // A store of its own each time: one that grows costs more from turn to turn.
  const contender = onServer ?? createOurs(createMemoryStore(), milestones, { telemetry });
  process.send?.(await measure(contender, task.workflows));
  if (onServer === null) await contender.close();
}

async function measure(contender: Contender, count: number): Promise<FollowedCost> {
  const startedAtMs = performance.now();
  const before = process.cpuUsage();
  const ids = await inParallel(count, CONCURRENCY, (k) =>
    contender.start("three", { key: `key-${k}` }),
  );
  await Promise.all(ids.map((id) => contender.ended(id)));
  await flush();
  const { user, system } = process.cpuUsage(before);
  const wallUs = (performance.now() - startedAtMs) * 1000;
  milestones.clear();
  return { cpuUs: (user + system) / count, wallUs: wallUs / count };
}
