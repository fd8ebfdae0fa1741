/**
 * The settings of the server that our transactions run under. `set_config` sets them within the batch's own trip, and in
 * the transaction alone where a pooler may give the connection to others.
 */
import type { BatchOptions } from "../batch.ts";

/** Values by name. null: what the session began with. */
export type Settings = Readonly<Record<string, string | null>>;

/** How long what may hold rows is given. null: no limit. */
export interface PostgresLimits {
  /** A statement waits so long for a row that another transaction has locked; then the batch is a conflict, `locked`. */
  readonly lockTimeoutMs: number | null;
  /** A transaction, or a client that says no more in the middle of one, ends after so long. */
  readonly transactionTimeoutMs: number | null;
  /** The server ends a session after so long without a batch. null: the role's own. */
  readonly idleSessionTimeoutMs: number | null;
}

/**
 * What finds a dead peer in 25 seconds instead of two hours: ten of silence, three probes five seconds apart, and no more
 * for data that nobody acknowledges. They are of the connection, so that behind a pooler they are not ours to set.
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
// keeps its plan while the table grows. Compiling is for long statements; a sort that cannot be avoided looks like one then.
// Planned once for all values: a claim for which one value leaves a branch out would else be planned anew each time.
const BY_KEYS: Settings = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_sort: "off",
  jit: "off",
  plan_cache_mode: "force_generic_plan",
};

const milliseconds = (limit: number | null): string => (limit === null ? "0" : `${limit}ms`);

/** Since version 17; it also ends a transaction whose client says no more. An older server does not know it. */
const TRANSACTION_TIMEOUT = "transaction_timeout";
const IDLE_SESSION_TIMEOUT = "idle_session_timeout";
/** What a server that takes itself for PostgreSQL may not know. */
const OPTIONAL: ReadonlySet<string> = new Set([TRANSACTION_TIMEOUT, IDLE_SESSION_TIMEOUT]);

/** Settings of a connection by name. */
export const sessionSettings = ({ idleSessionTimeoutMs }: PostgresLimits): Settings =>
  idleSessionTimeoutMs === null
    ? KEEPALIVE_SETTINGS
    : { ...KEEPALIVE_SETTINGS, [IDLE_SESSION_TIMEOUT]: `${idleSessionTimeoutMs}ms` };

/** Settings of a batch by name. */
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

/** Settings of a batch that is one statement to the server, whose own limits on statements are left alone. */
export function callSettings(
  lockTimeoutMs: number | null,
  { byKeys = false }: BatchOptions,
): Settings {
  return { lock_timeout: milliseconds(lockTimeoutMs), ...(byKeys ? BY_KEYS : {}) };
}

/** Takes back what `byKeys` has set for a session. */
export const PLANNER_DEFAULTS: Settings = Object.fromEntries(
  Object.keys(BY_KEYS).map((name) => [name, null]),
);

/** Expressions that set each; those that the server does not know are left out by it. */
export function toSetConfig(settings: Settings, isLocal: string): readonly string[] {
  return Object.entries(settings).map(([name, value]) => {
    const set = `set_config('${name}', ${value === null ? "null" : `'${value}'`}, ${isLocal})`;
    return OPTIONAL.has(name)
      ? `case when current_setting('${name}', true) is not null then ${set} end`
      : set;
  });
}
