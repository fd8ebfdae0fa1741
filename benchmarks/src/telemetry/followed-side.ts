/**
 * One side of a comparison of the engine with and without spans, in a process of its own, as `against/side.ts` is. Arguments: URL of a
 * Postgres server, and `followed` or `plain`.
 */
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { openTelemetry } from "@escapement/otel";
import type { SideTask } from "../against/side.ts";
import { Milestones } from "../milestones.ts";
import { createOurs } from "../ours.ts";
import { CONNECTIONS } from "../sizes.ts";
import { openPostgres } from "../stores/postgres.ts";
import { WORKLOADS } from "../workloads/workloads.ts";
import { registerSdk } from "./register-sdk.ts";

const stage = await openPostgres(process.argv[2] ?? "");
const database = stage.openDatabase(CONNECTIONS);
await migrate(database);
const milestones = new Milestones();
if (process.argv[3] === "followed") registerSdk();
const telemetry = process.argv[3] === "followed" ? openTelemetry() : undefined;
const contender = createOurs(createSqlStore({ database }), milestones, { telemetry });

process.on("message", (task: SideTask) => void answer(task));
process.send?.("ready");

async function answer(task: SideTask): Promise<void> {
  if (task === null) {
    await contender.close();
    await stage.remove();
    return process.disconnect();
  }
  const workload = WORKLOADS.find(({ id }) => id === task.workload);
  const samples = await workload?.drive({ contender, milestones, size: task.size });
  milestones.clear();
  process.send?.(samples ?? {});
}
