/** How often an invocation may call on the database, where a platform counts that. */

/** Trips to the database that one invocation may make. What is left of them is counted by this very object. */
export interface TripAllowance {
  /** @minimum 10 */
  readonly maxTrips: number;
}
