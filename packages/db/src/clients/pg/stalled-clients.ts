/**
 * Before version 17, nothing ends a transaction whose client went silent in the middle of a batch if something in between keeps answering
 * for it: no timer of the server runs between two messages of a pipeline. So other clients end such sessions of their own role and
 * database, in the trip of a batch that is sent anyway.
 */
import type { Statement } from "../../batch.ts";

/** First version with `transaction_timeout`. */
const FIRST_WITH_TRANSACTION_TIMEOUT = 170_000;

/** Shares of the time within which rows must become free: how long a client may be silent, and how often to look. */
const STALLED_SHARE = 0.6;
const LOOK_SHARE = 0.3;

export class StalledClients {
  readonly #withinMs: number | null;
  #lookedAtMs = -Infinity;

  /** @param withinMs the time within which rows must become free; null: never */
  constructor(withinMs: number | null) {
    this.#withinMs = withinMs;
  }

  /** The statement that ends them, if it is time to look for some; null: it is not, or the server does it by itself. */
  due(serverVersion: number, nowMs: number): Statement | null {
    const withinMs = this.#withinMs;
    if (withinMs === null || serverVersion === 0) return null;
    if (serverVersion >= FIRST_WITH_TRANSACTION_TIMEOUT) return null;
    if (nowMs - this.#lookedAtMs < withinMs * LOOK_SHARE) return null;
    this.#lookedAtMs = nowMs;
    return { text: END_STALLED, values: [Math.round(withinMs * STALLED_SHARE)] };
  }
}

// `active` and waiting for its client: in the middle of a pipeline, or of a COPY, which may take long.
const END_STALLED =
  `select pg_terminate_backend(a.pid) from pg_stat_activity as a where a.datname = current_database() ` +
  `and a.usename = current_user and a.pid <> pg_backend_pid() and a.state = 'active' ` +
  `and a.wait_event = 'ClientRead' and a.query !~* '^\\s*copy' ` +
  `and a.state_change < clock_timestamp() - $1 * interval '1 millisecond'`;
