/** The Batch port over a `pg` pool. */
import type { Pool, PoolClient } from "pg";
import type { BatchOptions, BatchResult, Database, Listening, Statement } from "../../batch.ts";
import type { Dialect } from "../../dialect/dialect.ts";
import { classifyPostgresError, endsConnection } from "../../dialect/postgres-errors.ts";
import { postgresDialect } from "../../dialect/postgres.ts";
import { DatabaseError } from "../../errors.ts";
import { BatchQuery } from "./batch-query.ts";
import { ConnectPatience, type ConnectTimeouts } from "./connect-patience.ts";
import type { PostgresLimits } from "../postgres-settings.ts";
import type { ListenerOptions } from "./listener.ts";
import { ConnectionMemory } from "./connection-memory.ts";
import { Session } from "./session.ts";
import { StalledClients } from "./stalled-clients.ts";

/** The settings of `PgDatabase`; `createPgDatabase` fills in the defaults. */
export interface PgDatabaseSettings {
  readonly pool: Pool;
  /** `close` ends the pool. */
  readonly ownsPool: boolean;
  readonly preparedStatements: boolean;
  /** How many milliseconds a batch may take, without connecting to a database that may be asleep; null: no limit. */
  readonly batchTimeoutMs: number | null;
  /** null: the pool's own. */
  readonly connectTimeouts: ConnectTimeouts | null;
  readonly limits: PostgresLimits;
  /** Called once if a server refuses our settings. */
  readonly onSettingsRefused: (error: unknown) => void;
  /** Called once if a pooler mixes up prepared statements. */
  readonly onPoolerDetected: (error: unknown) => void;
  readonly onConnectionError: (error: unknown) => void;
}

type Release = (error?: Error | boolean) => void;

/** One call of `batch`. It settles once, with whatever comes first: the answer, an error, or the time limit. */
interface Call {
  readonly statements: readonly Statement[];
  readonly options: BatchOptions;
  readonly resolve: (result: BatchResult) => void;
  readonly reject: (error: DatabaseError) => void;
  timer: ReturnType<typeof setTimeout> | null;
  /** Returns the connection to the pool; null while the call has none. */
  release: Release | null;
  settled: boolean;
  /** The batch was sent with prepared statements. */
  isPrepared: boolean;
  /** The call was repeated because the server had refused it before running anything. */
  repeated: boolean;
}

const EMPTY: BatchResult = { kind: "committed", rows: [] };

export class PgDatabase implements Database {
  readonly dialect: Dialect = postgresDialect;
  readonly #settings: PgDatabaseSettings;
  readonly #memories = new WeakMap<PoolClient, ConnectionMemory>();
  readonly #sessions = new WeakMap<PoolClient, Session>();
  readonly #stalledClients: StalledClients;
  readonly #patience: ConnectPatience | null;
  /** The server refuses our settings, so batches go without them. */
  #settingsRefused = false;
  /** Whether statements are prepared; not behind a pooler that gives each batch another server without tracking them. */
  #prepares: boolean;
  /** Connections opened before this moment (of `performance.now()`) are suspect. */
  #suspectBeforeMs = 0;
  readonly #listeners = new Set<AbortController>();
  #closed = false;

  constructor(settings: PgDatabaseSettings) {
    this.#settings = settings;
    this.#prepares = settings.preparedStatements;
    this.#stalledClients = new StalledClients(settings.limits.transactionTimeoutMs);
    const { connectTimeouts } = settings;
    this.#patience = connectTimeouts === null ? null : new ConnectPatience(connectTimeouts);
    // Without a listener, a lost idle connection would end the process.
    settings.pool.on("error", settings.onConnectionError);
  }

  batch(statements: readonly Statement[], options: BatchOptions = {}): Promise<BatchResult> {
    if (statements.length === 0 && !this.#closed) return Promise.resolve(EMPTY);
    return new Promise((resolve, reject) => {
      const call: Call = {
        statements,
        options,
        resolve,
        reject,
        timer: null,
        release: null,
        settled: false,
        isPrepared: false,
        repeated: false,
      };
      if (this.#closed) {
        fail(call, new DatabaseError("DATABASE_UNAVAILABLE", "the database client is closed"));
        return;
      }
      this.#connect(call);
    });
  }

  listen(listening: Listening): () => void {
    const ending = new AbortController();
    this.#listeners.add(ending);
    void this.#listen({ ...listening, pool: this.#settings.pool, signal: ending.signal });
    return () => {
      this.#listeners.delete(ending);
      ending.abort();
    };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const ending of this.#listeners) ending.abort();
    this.#settings.pool.off("error", this.#settings.onConnectionError);
    this.#settings.pool.on("error", ignore);
    if (this.#settings.ownsPool) await this.#settings.pool.end();
  }

  /** Only processes that stay can listen, so functions do not load it. */
  async #listen(options: Omit<ListenerOptions, "notify">): Promise<void> {
    const { listen } = await import("./listener.ts");
    const text = "select pg_notify($1, '')::text";
    await listen({ ...options, notify: (channel) => this.batch([{ text, values: [channel] }]) });
  }

  #limitTime(call: Call): void {
    const limitMs = this.#settings.batchTimeoutMs;
    if (limitMs === null || call.timer !== null) return;
    call.timer = setTimeout(() => {
      const error = new DatabaseError("DATABASE_UNAVAILABLE", `no answer within ${limitMs} ms`);
      if (call.release !== null) {
        this.#suspectBeforeMs = performance.now();
        call.release(error);
      }
      fail(call, error);
    }, limitMs);
  }

  #connect(call: Call): void {
    const { pool } = this.#settings;
    const now = Date.now();
    if (this.#patience !== null) {
      // The pool reads this for each new connection.
      pool.options.connectionTimeoutMillis = this.#patience.limitMs(now);
    }
    if (this.#patience?.mayBeAsleep(now) === true) stopTimer(call);
    else this.#limitTime(call);
    pool.connect((error, client, release) => {
      // Without a client there is nothing to release, and `release` may be missing although its type says otherwise.
      if (call.settled) client?.release();
      else if (client === undefined) settle(call, classifyPostgresError(error));
      else this.#run(call, client, release as Release);
    });
  }

  #run(call: Call, client: PoolClient, release: Release): void {
    const memory = this.#memoryOf(client);
    // A connection was lost since this one was opened. This one is probably dead too, and a new one costs little.
    if (memory.openedAtMs < this.#suspectBeforeMs) {
      release(true);
      this.#connect(call);
      return;
    }
    call.release = release;
    this.#limitTime(call);
    call.isPrepared = this.#prepares;
    const prepared = this.#prepares ? memory : null;
    const session = this.#sessionOf(client);
    const before = this.#before(session, call.options);
    const statements = before.length === 0 ? call.statements : [...before, ...call.statements];
    client.query(
      new BatchQuery(statements, prepared, (error, rows) => {
        if (call.settled) return;
        call.release = null;
        if (error === null) {
          this.#patience?.answered(Date.now());
          if (before.length > 0) session.applied(call.options, rows[0]?.[0]);
          release();
          settle(call, { kind: "committed", rows: rows.slice(before.length) });
        } else if (rows.length < before.length && isRefusedSetting(error)) {
          this.#refused(call, error, release);
        } else this.#failed(call, error, release);
      }),
    );
  }

  /** The statements that come before a batch, in the same trip. */
  #before(session: Session, options: BatchOptions): readonly Statement[] {
    if (this.#settingsRefused) return [];
    const settings = session.before(options);
    const end = this.#stalledClients.due(session.serverVersion, performance.now());
    return [settings, end].filter((statement) => statement !== null);
  }

  /** The server does not know our settings, or does not let us set them, so we continue without them. */
  #refused(call: Call, error: unknown, release: Release): void {
    if (!this.#settingsRefused) this.#settings.onSettingsRefused(error);
    this.#settingsRefused = true;
    release();
    this.#connect(call);
  }

  /** The call is repeated without prepared statements, like every call after it. */
  #mixedUp(call: Call, error: unknown, release: Release): void {
    if (this.#prepares) this.#settings.onPoolerDetected(error);
    this.#prepares = false;
    release();
    this.#connect(call);
  }

  #failed(call: Call, error: unknown, release: Release): void {
    if (call.isPrepared && isMixedUp(error)) return this.#mixedUp(call, error, release);
    if (!call.repeated && ((call.isPrepared && isOutdated(error)) || isEndedIdle(error))) {
      call.repeated = true;
      this.#suspectBeforeMs = performance.now();
      release(true);
      this.#connect(call);
      return;
    }
    const lost = endsConnection(error);
    if (lost) this.#suspectBeforeMs = performance.now();
    else this.#patience?.answered(Date.now());
    release(lost);
    settle(call, classifyPostgresError(error));
  }

  #sessionOf(client: PoolClient): Session {
    const known = this.#sessions.get(client);
    if (known !== undefined) return known;
    const { processID = 0 } = client as { readonly processID?: number | null };
    const session = new Session(this.#settings.limits, processID ?? 0, !this.#settings.ownsPool);
    this.#sessions.set(client, session);
    return session;
  }

  #memoryOf(client: PoolClient): ConnectionMemory {
    const known = this.#memories.get(client);
    if (known !== undefined) return known;
    const memory = new ConnectionMemory();
    this.#memories.set(client, memory);
    // While a connection is checked out, the pool does not listen, and an unhandled error would end the process.
    client.on("error", ignore);
    return memory;
  }
}

function settle(call: Call, outcome: BatchResult | DatabaseError): void {
  if (outcome instanceof DatabaseError) {
    fail(call, outcome);
    return;
  }
  stopTimer(call);
  call.settled = true;
  call.resolve(outcome);
}

function fail(call: Call, error: DatabaseError): void {
  stopTimer(call);
  call.settled = true;
  call.reject(error);
}

function stopTimer(call: Call): void {
  if (call.timer !== null) clearTimeout(call.timer);
  call.timer = null;
}

const codeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : undefined;

// The server refused before running anything: it lacks a statement that we prepared (26000), or has one that we did not prepare
// (42P05). A pooler has given us another server, and will do so again.
const isMixedUp = (error: unknown): boolean => ["26000", "42P05"].includes(String(codeOf(error)));

// Likewise: a migration has changed the columns of a prepared statement's rows.
const isOutdated = (error: unknown): boolean =>
  codeOf(error) === "0A000" &&
  (error as { readonly routine?: unknown }).routine === "RevalidateCachedQuery";

// The server had ended the session before the batch reached it, because it was idle for long while this process was frozen.
const isEndedIdle = (error: unknown): boolean => codeOf(error) === "57P05";

// An unknown setting or function, no right to set it, or an invalid value.
const REFUSALS: ReadonlySet<unknown> = new Set(["42704", "42883", "42501", "22023", "55P02"]);

const isRefusedSetting = (error: unknown): boolean => REFUSALS.has(codeOf(error));

function ignore(): void {
  // The batch in flight has its error already; an idle connection is replaced when it is needed.
}
