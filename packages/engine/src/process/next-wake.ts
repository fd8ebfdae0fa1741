/** What comes due next, asked without taking anything: for schedules that begin an invocation only when it has work. */
import type { DurationMs } from "../core/model/records.ts";
import type { RunContext } from "../run/context.ts";

/** `due`: a run comes due. `lease`: somebody's lease ends, and should its process have died, its run is to be taken over. */
export interface NextWake {
  /** From now, in milliseconds of the database's clock; 0: now, or since some time. */
  readonly inMs: DurationMs;
  readonly reason: "due" | "lease";
}

/** One trip, which locks and changes nothing. null: nothing comes due by itself. @throws {WorkflowError} STORE_UNAVAILABLE */
export async function findNextWake({
  store,
  registry,
  host,
}: Pick<RunContext, "store" | "registry" | "host">): Promise<NextWake | null> {
  const { now, nextWakeAt, nextDueAt } = await store.claim({
    token: host.newId(),
    leaseMs: 1000,
    limit: 0,
    workflowNames: [...registry.keys()],
  });
  if (nextWakeAt === null) return null;
  const reason = nextDueAt !== null && nextDueAt <= nextWakeAt ? "due" : "lease";
  return { inMs: Math.max(0, nextWakeAt - now), reason };
}
