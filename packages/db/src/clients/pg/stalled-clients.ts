/**
 * Before version 17 nothing ends a transaction whose client fell silent in the middle of a batch, when something between
 * the two goes on answering for it: no timer of the server runs between two messages of a pipeline. So whoever comes next
 * ends such sessions of its own role and database, in the trip of a batch that goes anyway.
 */
import type { Statement } from "../../batch.ts";

/** First version with `transaction_timeout`. */
const FIRST_WITH_TRANSACTION_TIMEOUT = 170_000;

/** How the two periods share the time in which rows must come free. */
const STALLED_SHARE = 0.6;
const LOOK_SHARE = 0.3;

export class StalledClients {
  readonly #withinMs: number | null;
  #lookedAtMs = -Infinity;

  /** @param withinMs time in which rows must come free; null: never */
  constructor(withinMs: number | null) {
    this.#withinMs = withinMs;
  }

  /** The statement that ends them, when it is time to look for some; null: it is not, or the server does it by itself. */
  due(serverVersion: number, nowMs: number): Statement | null {
    const withinMs = this.#withinMs;
    if (withinMs === null || serverVersion === 0) return null;
    if (serverVersion >= FIRST_WITH_TRANSACTION_TIMEOUT) return null;
    if (nowMs - this.#lookedAtMs < withinMs * LOOK_SHARE) return null;
    this.#lookedAtMs = nowMs;
    return { text: END_STALLED, values: [Math.round(withinMs * STALLED_SHARE)] };
  }
}

// `active` and waiting for its client: in the middle of a pipeline, or of a COPY, which may take its time.
const END_STALLED =
  `select pg_terminate_backend(a.pid) from pg_stat_activity as a where a.datname = current_database() ` +
  `and a.usename = current_user and a.pid <> pg_backend_pid() and a.state = 'active' ` +
  `and a.wait_event = 'ClientRead' and a.query !~* '^\\s*copy' ` +
  `and a.state_change < clock_timestamp() - $1 * interval '1 millisecond'`;
