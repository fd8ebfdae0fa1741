/** Processor time of a database, which tells more than the clock does on a machine that is busy with other work. */
import { readFileSync } from "node:fs";
import type { Database } from "@escapement/db";

/** Milliseconds of the processor so far. */
export type ProcessorClock = () => number;

/** Of this process. */
export const ownMs: ProcessorClock = () => {
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

/** Of all processes of the server behind a database; null as of `createProcessorClock`, or the database is in this process. */
export async function createServerClock(database: Database): Promise<ProcessorClock | null> {
  if (database.dialect.name === "sqlite") return null;
  const result = await database.batch([{ text: `select pg_backend_pid() as "pid"`, values: [] }]);
  const backend = result.kind === "committed" ? Number(result.rows[0]?.[0]?.["pid"]) : Number.NaN;
  const server = parentOf(backend);
  if (server === null) return null;
  // What one that has ended had is kept: helpers of the server come and go.
  const known = new Map<number, number>();
  return () => {
    for (const pid of childrenOf(server)) known.set(pid, processMs(pid) || (known.get(pid) ?? 0));
    return [...known.values()].reduce((sum, ms) => sum + ms, 0);
  };
}

function parentOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [, parent = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(parent);
  } catch {
    return null;
  }
}

const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
