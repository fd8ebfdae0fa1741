/** Runs that are suspected of ending the processes that hold them. */

/** From so many leases in a row that ended without a commit, a run is a suspect. */
export const SUSPECT_ATTEMPTS = 2;
