/**
 * The server settings for our transactions. `set_config` sets them within the batch's own trip, and only for the transaction if a
 * pooler may give the connection to others.
 */
import type { BatchOptions } from "../batch.ts";

/** Values by name. null: the value at the start of the session. */
export type Settings = Readonly<Record<string, string | null>>;

/** Time limits for whatever may hold rows. null: no limit. */
export interface PostgresLimits {
  /** How long a statement waits for a row that another transaction has locked; then the batch is a conflict, `locked`. */
  readonly lockTimeoutMs: number | null;
  /** How long a transaction may take, even if its client goes silent in the middle of it. */
  readonly transactionTimeoutMs: number | null;
  /** How long a session may be without a batch before the server ends it. null: the role's own limit. */
  readonly idleSessionTimeoutMs: number | null;
}

/**
 * Settings that detect a dead peer in 25 seconds instead of two hours: ten of silence, three probes five seconds apart, and no longer for
 * data that is not acknowledged. They belong to the connection, so behind a pooler we cannot set them.
 *
 * @source https://www.postgresql.org/docs/18/runtime-config-connection.html (read 2026-11)
 */
const KEEPALIVE_SETTINGS: Settings = {
  tcp_keepalives_idle: "10",
  tcp_keepalives_interval: "5",
  tcp_keepalives_count: "3",
  tcp_user_timeout: "25000",
};

// A plan that reads a whole table, or hashes, merges or sorts one, looks cheap while the table is small, and a prepared statement
// keeps its plan while the table grows. Compiling pays only for long statements, and an unavoidable sort would look like one of
// these. Statements are planned once for all values: otherwise a claim in which one value disables a branch would be planned each
// time.
const BY_KEYS: Settings = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_sort: "off",
  jit: "off",
  plan_cache_mode: "force_generic_plan",
};

const milliseconds = (limit: number | null): string => (limit === null ? "0" : `${limit}ms`);

/** Available since version 17. It also ends a transaction whose client has gone silent. Older servers do not know it. */
const TRANSACTION_TIMEOUT = "transaction_timeout";
const IDLE_SESSION_TIMEOUT = "idle_session_timeout";
/** Settings that a Postgres-compatible server may not know. */
const OPTIONAL: ReadonlySet<string> = new Set([TRANSACTION_TIMEOUT, IDLE_SESSION_TIMEOUT]);

/** The settings of a connection, by name. */
export const sessionSettings = ({ idleSessionTimeoutMs }: PostgresLimits): Settings =>
  idleSessionTimeoutMs === null
    ? KEEPALIVE_SETTINGS
    : { ...KEEPALIVE_SETTINGS, [IDLE_SESSION_TIMEOUT]: `${idleSessionTimeoutMs}ms` };

/** The settings of a batch, by name. */
export function batchSettings(
  { lockTimeoutMs, transactionTimeoutMs }: PostgresLimits,
  { byKeys = false }: BatchOptions,
): Settings {
  return {
    lock_timeout: milliseconds(lockTimeoutMs),
    statement_timeout: milliseconds(transactionTimeoutMs),
    [TRANSACTION_TIMEOUT]: milliseconds(transactionTimeoutMs),
    ...(byKeys ? BY_KEYS : {}),
  };
}

/** The settings of a batch that is one statement to the server; its own limits on statements are not changed. */
export function callSettings(
  lockTimeoutMs: number | null,
  { byKeys = false }: BatchOptions,
): Settings {
  return { lock_timeout: milliseconds(lockTimeoutMs), ...(byKeys ? BY_KEYS : {}) };
}

/** Resets what `byKeys` has set for a session. */
export const PLANNER_DEFAULTS: Settings = Object.fromEntries(
  Object.keys(BY_KEYS).map((name) => [name, null]),
);

/** Expressions that set each of them; the server skips those that it does not know. */
export function toSetConfig(settings: Settings, isLocal: string): readonly string[] {
  return Object.entries(settings).map(([name, value]) => {
    const set = `set_config('${name}', ${value === null ? "null" : `'${value}'`}, ${isLocal})`;
    return OPTIONAL.has(name)
      ? `case when current_setting('${name}', true) is not null then ${set} end`
      : set;
  });
}
