/** Finds what is due next without claiming it, for schedules that begin an invocation only if there is work. */
import type { DurationMs } from "../core/model/records.ts";
import type { ClaimResult } from "../ports/claim.ts";
import type { RunContext } from "../run/context.ts";

/**
 * When the next work is due, and why. `due`: a run is due. `lease`: a lease ends, and if its process has died, the run has to be
 * taken over.
 */
export interface NextWake {
  /** Milliseconds from now, by the database's clock; 0: now, or overdue. */
  readonly inMs: DurationMs;
  readonly reason: "due" | "lease";
}

type ClaimContext = Pick<RunContext, "store" | "claimedNames" | "host">;

/** Makes a claim of zero runs, which locks and changes nothing. One trip. @throws {WorkflowError} STORE_UNAVAILABLE */
export const readNextDue = ({ store, claimedNames, host }: ClaimContext): Promise<ClaimResult> =>
  store.claim({
    token: host.newId(),
    leaseMs: 1000,
    limit: 0,
    workflowNames: claimedNames,
  });

/** Finds the next wake; null: nothing is due by itself. One trip. @throws {WorkflowError} STORE_UNAVAILABLE */
export async function findNextWake(context: ClaimContext): Promise<NextWake | null> {
  const { now, nextWakeAt, nextDueAt } = await readNextDue(context);
  if (nextWakeAt === null) return null;
  const reason = nextDueAt !== null && nextDueAt <= nextWakeAt ? "due" : "lease";
  return { inMs: Math.max(0, nextWakeAt - now), reason };
}
