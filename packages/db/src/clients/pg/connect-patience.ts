/** How long connecting may take. */

/** Time limits for connecting, in milliseconds. */
export interface ConnectTimeouts {
  /** For a database that answered recently: it is awake, and a host that does not answer is gone. */
  readonly awakeMs: number;
  /** For a database that may be asleep. */
  readonly asleepMs: number;
}

/**
 * A database that answered within this time is awake: Aurora pauses after five minutes without a connection at the earliest.
 *
 * @source https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/aurora-serverless-v2-auto-pause.html, read 2026-11
 */
const AWAKE_MS = 240_000;

export class ConnectPatience {
  readonly #timeouts: ConnectTimeouts;
  /** By the wall clock, because a frozen process's monotonic clock may stand still. */
  #answeredAt = -Infinity;

  constructor(timeouts: ConnectTimeouts) {
    this.#timeouts = timeouts;
  }

  /** The database answered, at an instant in epoch milliseconds. */
  answered(at: number): void {
    this.#answeredAt = at;
  }

  mayBeAsleep(now: number): boolean {
    return !(Math.abs(now - this.#answeredAt) < AWAKE_MS);
  }

  /** How long connecting may take, in milliseconds. */
  limitMs(now: number): number {
    return this.mayBeAsleep(now) ? this.#timeouts.asleepMs : this.#timeouts.awakeMs;
  }
}
