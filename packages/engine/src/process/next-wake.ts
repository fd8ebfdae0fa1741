/** What comes due next, asked without taking anything: for schedules that begin an invocation only when it has work. */
import type { DurationMs } from "../core/model/records.ts";
import type { ClaimResult } from "../ports/claim.ts";
import type { RunContext } from "../run/context.ts";

/** `due`: a run comes due. `lease`: somebody's lease ends, and should its process have died, its run is to be taken over. */
export interface NextWake {
  /** From now, in milliseconds of the database's clock; 0: now, or since some time. */
  readonly inMs: DurationMs;
  readonly reason: "due" | "lease";
}

type LookContext = Pick<RunContext, "store" | "claimedNames" | "host">;

/** A claim of nothing, which locks and changes nothing. One trip. @throws {WorkflowError} STORE_UNAVAILABLE */
export const look = ({ store, claimedNames, host }: LookContext): Promise<ClaimResult> =>
  store.claim({
    token: host.newId(),
    leaseMs: 1000,
    limit: 0,
    workflowNames: claimedNames,
  });

/** One trip. null: nothing comes due by itself. @throws {WorkflowError} STORE_UNAVAILABLE */
export async function findNextWake(context: LookContext): Promise<NextWake | null> {
  const { now, nextWakeAt, nextDueAt } = await look(context);
  if (nextWakeAt === null) return null;
  const reason = nextDueAt !== null && nextDueAt <= nextWakeAt ? "due" : "lease";
  return { inMs: Math.max(0, nextWakeAt - now), reason };
}
