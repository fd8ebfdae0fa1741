/** What a worker process is asked to do: one JSON argument. */
import type { KillPoint } from "./kill-points.ts";

/** Ten steps on a database with a virtual clock, up to the kill point. */
export interface TenStepsJob {
  readonly kind: "ten-steps";
  readonly url: string;
  readonly workflowName: string;
  readonly logPath: string;
  readonly retriesLimit: number;
  readonly point: KillPoint;
  /** `tick`: runs what is there. `loop`: creates the instance as well. */
  readonly drive: "tick" | "loop";
}

/** Runs the fleet's workflow in a loop until told to end. */
export interface FleetJob {
  readonly kind: "fleet";
  readonly url: string;
  readonly logPath: string;
  readonly leaseMs: number;
  readonly concurrency: number;
  readonly pollMs: number;
  /** How long each body takes. */
  readonly bodyMs: number;
}

export type Job = TenStepsJob | FleetJob;

/** Instance of every ten-steps job. */
export const TEN_STEPS_ID = "one";
