/** What a worker process is told: one JSON argument. */
import type { CodeVersion } from "./program/workflows.ts";

export interface WorkerJob {
  /** Where the database is: a URL, through the proxy if there is one. */
  readonly url: string;
  readonly ledgerPath: string;
  readonly version: CodeVersion;
  /** Which workflows it has: those of chaos, or the steady ones that recovery is measured by. */
  readonly program: "chaos" | "steady";
  /** Stays over restarts. */
  readonly runnerId: string;
  /** null: the default. */
  readonly leaseMs: number | null;
  readonly pollMs: number | null;
  /** Postgres: limit of a batch; null: the default. */
  readonly batchTimeoutMs: number | null;
}
