/** How long leases are. */
import type { DurationMs, EpochMs } from "./model/records.ts";

/** A lease is lengthened to no more than this, ten minutes, but never made shorter than asked for. */
export const LONGEST_BACKOFF_MS = 600_000;

/**
 * Token of a lease. A claim may reach the database twice: then it can take a run again that it has taken before and that was
 * given back since, and what is late of the first lease must not be applied under the second.
 *
 * @param claimToken of the claim or the call that took the run
 * @param claimNumber of the task, this claim included; 1: the task's first, or the call that made it
 */
export const toLeaseToken = (claimToken: string, claimNumber: number): string =>
  `${claimToken}.${claimNumber}`;

/** The count of claims in a row without a commit from which leases are lengthened: the third takeover. */
export const BACKOFF_ATTEMPTS = 4;

/**
 * Length of a claim's lease: what was asked for, doubled with each takeover in a row after the third, so that a run which
 * ends its processes does so ever more seldom.
 *
 * @param attempts claims in a row without a commit, this one included: 1 is no takeover, 4 the third
 */
export const leaseMsOf = (leaseMs: DurationMs, attempts: number): DurationMs =>
  Math.max(
    leaseMs,
    Math.min(LONGEST_BACKOFF_MS, leaseMs * 2 ** Math.max(0, attempts - BACKOFF_ATTEMPTS)),
  );

/** End of a lease that is renewed. A lengthened one is not shortened before the run has committed. */
export const renewedUntil = (
  lease: { readonly attempts: number; readonly lockedUntil: EpochMs | null },
  renewed: EpochMs,
): EpochMs =>
  lease.attempts < BACKOFF_ATTEMPTS ? renewed : Math.max(renewed, lease.lockedUntil ?? renewed);
