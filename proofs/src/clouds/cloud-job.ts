/** Types only: what a cloud's process is started with, one JSON argument. */

export type CloudName = "node" | "bun" | "deno" | "aws-lambda";

export interface CloudJob {
  /** Postgres, or a libSQL server over HTTP. */
  readonly url: string;
  readonly logPath: string;
  readonly leaseMs: number;
  /** Runs that the process advances at once. */
  readonly concurrency: number;
  /** How long each body takes. */
  readonly bodyMs: number;
  /** How long an instance is parked on its way. */
  readonly napMs: number;
  /** Where the tick route of Deno listens, and Lambda's service answers. */
  readonly port: number;
}

/** Secret of Deno's tick route. */
export const CLOUD_BEARER = "a-bearer-secret-of-two-clouds-0123";
