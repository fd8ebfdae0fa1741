/**
 * One side of a comparison of two commits: the engine of the checkout that this file lies in, in a process of its own.
 * Argument: URL of a Postgres server. Each message is a piece of work; each answer, its samples by metric.
 *
 * It is bundled inside either checkout and uses only what the benchmarks have had since they exist.
 */
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { Milestones } from "../milestones.ts";
import { createOurs } from "../ours.ts";
import { CONNECTIONS, type Size } from "../sizes.ts";
import { openPostgres } from "../stores/postgres.ts";
import { WORKLOADS } from "../workloads/workloads.ts";

/** What a side is asked for; null: to close. */
export type SideTask = { readonly workload: string; readonly size: Size } | null;

const stage = await openPostgres(process.argv[2] ?? "");
const database = stage.openDatabase(CONNECTIONS);
await migrate(database);
const milestones = new Milestones();
const contender = createOurs(createSqlStore({ database }), milestones);

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
