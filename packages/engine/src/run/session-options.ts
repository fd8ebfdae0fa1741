/** What a session is given with its run. */
import type { EpochMs } from "../core/model/records.ts";
import type { Budget } from "./budget.ts";

/** Database time of the claim, what the run may still do, and when its lease ends by the process's monotonic clock. */
export interface SessionOptions {
  readonly now: EpochMs;
  readonly budget: Budget;
  readonly leaseEndsAtMs: number;
}
