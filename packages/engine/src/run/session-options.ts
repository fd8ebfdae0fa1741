/** What a session is given with its run. */
import type { EpochMs } from "../core/model/records.ts";
import type { Budget } from "./budget.ts";

/** What the run may still do, and what the claim told; instants in `Ms` are by the process's monotonic clock. */
export interface SessionOptions {
  /** Database time as last heard. */
  readonly now: EpochMs;
  /** When that was heard: a run may have waited for a slot since. */
  readonly heardAtMs: number;
  readonly budget: Budget;
  readonly leaseEndsAtMs: number;
}
