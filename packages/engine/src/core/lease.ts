/** How long leases are. */
import type { DurationMs, EpochMs } from "./model/records.ts";

/** A lease grows to at most this, ten minutes, but is never shorter than asked for. */
export const LONGEST_BACKOFF_MS = 600_000;

/**
 * The token of a lease. A claim may reach the database twice. It can then take a run again that it had taken before and that was
 * released since; what arrives late under the first lease must not be applied under the second.
 *
 * @param claimToken of the claim or the call that took the run
 * @param claimNumber of the task, this claim included; 1: the task's first, or the call that made it
 */
export const toLeaseToken = (claimToken: string, claimNumber: number): string =>
  `${claimToken}.${claimNumber}`;

/** From this many claims in a row without a commit, leases grow: the third takeover. */
export const BACKOFF_ATTEMPTS = 4;

/**
 * The length of a claim's lease: as asked for, and doubled with each takeover in a row after the third, so that a run that kills its
 * processes does so less and less often.
 *
 * @param attempts claims in a row without a commit, this one included: 1 is no takeover, 4 the third
 */
export const leaseMsOf = (leaseMs: DurationMs, attempts: number): DurationMs =>
  Math.max(
    leaseMs,
    Math.min(LONGEST_BACKOFF_MS, leaseMs * 2 ** Math.max(0, attempts - BACKOFF_ATTEMPTS)),
  );

/** The end of a renewed lease. A lease that has grown is not shortened before the run has committed. */
export const renewedUntil = (
  lease: { readonly attempts: number; readonly lockedUntil: EpochMs | null },
  renewed: EpochMs,
): EpochMs =>
  lease.attempts < BACKOFF_ATTEMPTS ? renewed : Math.max(renewed, lease.lockedUntil ?? renewed);
