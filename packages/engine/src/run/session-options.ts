/** Options of a session. */
import type { EpochMs } from "../core/model/records.ts";
import type { Budget } from "./budget.ts";

/** The budget of the run, and what its claim reported. Instants that end in `Ms` are by the process's monotonic clock. */
export interface SessionOptions {
  /** The database's time of the claim. */
  readonly now: EpochMs;
  /** When that was received. The run may have waited for a slot since then. */
  readonly observedAtMs: number;
  readonly budget: Budget;
  readonly leaseEndsAtMs: number;
}
