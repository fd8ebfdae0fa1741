/** Leases that die in a row without a commit: further and further apart, and not for ever. */
import type { LeaseRecord } from "../world/facts.ts";
import type { Case, Fail } from "./case.ts";

/**
 * Of one lease, beyond those that do something: by a clock that runs fast, each timer asks once before its time. A wait that has come true and may
 * not start anything makes one each millisecond until the tick is over.
 */
const EMPTY_COMMITS_MAX = 50;
/** Of an instance whose runners die without a commit. */
const TAKEOVERS_MAX = 10;
const LONGEST_LEASE_MS = 600_000;

export function checkTakeovers({ report, run, fail }: Case): void {
  const leases = report.books.leases.filter(({ runId }) => runId === run.runId);
  let row: LeaseRecord[] = [];
  for (const lease of leases) {
    if (2 * lease.emptyCount - lease.commitCount > EMPTY_COMMITS_MAX)
      fail("spin", `a lease of ${lease.commitCount} commits made ${lease.emptyCount} empty ones`);
    const last = row.at(-1);
    if (last !== undefined) checkDistance(last, { lease, takeovers: row.length - 1, fail });
    row = lease.end === "takeover" && lease.commitCount === 0 ? [...row, lease] : [];
    if (row.length > TAKEOVERS_MAX + 1)
      return fail("takeovers", `${row.length} leases in a row died without a commit`);
  }
}

/** The third takeover in a row has the lease that was asked for; each one after it has twice the one before. */
function checkDistance(
  last: LeaseRecord,
  next: {
    readonly lease: LeaseRecord;
    readonly takeovers: number;
    readonly fail: Fail;
  },
): void {
  if (next.takeovers < 4) return;
  const leastMs = Math.min(LONGEST_LEASE_MS, last.leaseMs * 2 ** (next.takeovers - 3));
  const pastMs = next.lease.takenAt - last.takenAt;
  if (pastMs < leastMs)
    next.fail(
      "takeovers",
      `takeover ${next.takeovers} in a row came after ${pastMs} ms instead of ${leastMs}`,
    );
}
