/** The record of a lease, as the claim begins it that takes it. */
import type { ClaimedRun } from "./engine-types.ts";
import { type LeaseRecord, runIdOf } from "./facts.ts";

/** By whom and when it is taken, and what of its run the books know. */
export type Taken = Pick<LeaseRecord, "leaseMs" | "runner" | "life" | "takenAt">;
type Known = Pick<LeaseRecord, "isFresh" | "reopenings" | "keyNumber">;

export const newLease = (run: ClaimedRun, taken: Taken, known: Known): LeaseRecord => ({
  token: run.lease.token,
  runId: runIdOf(run.run),
  ...taken,
  ...known,
  isDelivered: false,
  isUsed: false,
  commitCount: 0,
  firstCommitAt: Infinity,
  lastCommit: 0,
  end: null,
  endedAt: Infinity,
  isRevoked: false,
  settled: new Set(run.settled.map((step) => step.stepKey)),
  events: new Set(run.events.map(({ id }) => id)),
  positions: positionsIn([...run.settled, ...run.open]),
  named: new Map(),
  emptyCount: 0,
  isPast: false,
  toldToEnd: null,
  wasToldAtOnce: false,
});

/** Where loops go on, as their rows tell. */
function positionsIn(
  steps: readonly {
    readonly type: string;
    readonly stepKey: string;
    readonly result: string | null;
  }[],
): ReadonlyMap<string, number> {
  const loops = steps.filter(({ type, result }) => type === "loop" && result !== null);
  return new Map(
    loops.map(({ stepKey, result }) => [
      stepKey,
      (JSON.parse(result ?? "{}") as { iteration: number }).iteration,
    ]),
  );
}
