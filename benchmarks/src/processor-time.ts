/** Processor time of a database, which tells more than the clock does on a machine that is busy with other work. */
import { readFileSync } from "node:fs";
import type { Database } from "@escapement/db";

/** Milliseconds of the processor so far. */
export type ProcessorClock = () => number;

const ownMs: ProcessorClock = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/**
 * Of the server process behind a database's one connection; of this process, where the database is in it.
 *
 * @returns null where the system does not say (only Linux does), or the server is elsewhere
 */
export async function createProcessorClock(database: Database): Promise<ProcessorClock | null> {
  if (database.dialect.name === "sqlite") return ownMs;
  const result = await database.batch([{ text: `select pg_backend_pid() as "pid"`, values: [] }]);
  const pid = result.kind === "committed" ? Number(result.rows[0]?.[0]?.["pid"]) : Number.NaN;
  const read: ProcessorClock = () => processMs(pid);
  return Number.isNaN(read()) ? null : read;
}

/** The first number is nanoseconds on a processor. @source https://docs.kernel.org/scheduler/sched-stats.html (read 2026-11) */
export function processMs(pid: number): number {
  try {
    const [onProcessor = ""] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ");
    return Number(onProcessor) / 1_000_000;
  } catch {
    return Number.NaN;
  }
}
