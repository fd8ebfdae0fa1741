/** The context of the definition's services and routes: the engine on the adapter's database. */
import type { Database } from "@escapement/db";
import type { Dialect, Statement } from "@escapement/db/client";
import {
  type AwaitResult,
  type Commit,
  createMigratedStore,
  createWebHost,
  DEFAULT_MOUNT_ROUTE,
  type EpochMs,
  type Host,
  type HostContext,
  hostEngine,
  type RegisteredWorkflow,
  type Store,
  toStoreDialect,
} from "@escapement/engine/internal";
import {
  createConsoleLogger,
  type Engine,
  type Logger,
  WorkflowError,
  type WorkflowsRegistry,
} from "@escapement/engine";
import { createStockDatabase } from "../adapter/stock-database.ts";
import { type FragnoAdapter, noteFiledHooks } from "../adapter/adapter.ts";
import { installRuntimeShims } from "../adapter/runtime-shims.ts";
import { SqlExpression, sqlExpression } from "../adapter/sql-expression.ts";
import type {
  OnWorkflowEnqueued,
  WorkflowsFragmentConfig,
  WorkflowsFragmentOptions,
} from "./config.ts";
import { warnWhenIdle } from "./idle-watch.ts";
import { toHost } from "./runtime.ts";
import { createStepTransactions } from "./step-transactions.ts";
import { fileTimedHooks } from "./timed-hooks.ts";
import { createEndHooks, mayEnd } from "./end-hooks.ts";

export interface FragmentHost {
  readonly engine: Engine;
  readonly context: HostContext;
  readonly awaitResult: AwaitResult;
  readonly find: (workflowName: string) => RegisteredWorkflow;
  readonly sql: HostSql;
  /** For which the engine's own statements are compiled, for calls that a unit of work cannot express. */
  readonly dialect: Dialect;
  /** Whether the adapter reports refused rows and pages as `createFragnoAdapter` does; Fragno's own adapters do not. */
  readonly isOurs: boolean;
  readonly http: WorkflowsFragmentConfig["http"];
  readonly platform: WorkflowsFragmentConfig["platform"];
  readonly mountRoute: string;
  readonly onWorkflowEnqueued: OnWorkflowEnqueued | null;
  readonly onWorkflowTerminal: WorkflowsFragmentConfig["onWorkflowTerminal"];
  readonly onWorkflowRestarted: WorkflowsFragmentConfig["onWorkflowRestarted"];
}

/** The database's own time and instants, as values and in conditions on timestamp columns. */
export interface HostSql {
  /** The time when the transaction began. */
  readonly now: () => SqlExpression;
  /** The time when the statement runs, after any wait for a lock. */
  readonly clock: () => SqlExpression;
  readonly instant: (at: EpochMs) => SqlExpression;
}

/**
 * Creates the engine. It makes no database call yet.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID — no runtime, or an adapter of a kind that cannot be used; and like `createEngine`
 */
export function createFragmentHost(
  config: WorkflowsFragmentConfig,
  options: WorkflowsFragmentOptions,
): FragmentHost {
  const {
    runtime,
    http,
    onWorkflowEnqueued,
    onWorkflowTerminal,
    onWorkflowRestarted,
    host,
    ...rest
  } = config;
  const logger = config.logger ?? createConsoleLogger();
  // JavaScript callers may forget it; the error is the same as for any other unusable adapter.
  const adapter: object = Object(options.databaseAdapter);
  const isOurs = isFragnoAdapter(adapter);
  const database = isOurs ? adapter.database : openStockAdapter(adapter, logger);
  const mountRoute = options.mountRoute ?? DEFAULT_MOUNT_ROUTE;
  const runtimeHost = createWebHost({ ...toHost(runtime), ...host });
  const { engine, parts } = hostEngine<WorkflowsRegistry>({
    ...rest,
    logger,
    store: createFilingStore(database, {
      newId: runtimeHost.newId,
      timed: isOurs && onWorkflowEnqueued !== undefined ? fileTimedHooks(adapter) : null,
      ends: onWorkflowTerminal === undefined ? null : () => noteFiledHooks(adapter),
    }),
    host: runtimeHost,
    http: { ...http, mountRoute },
    stepTransactions: isOurs ? createStepTransactions(adapter) : undefined,
  });
  // Ticks, hooks and platforms may be set up later, but are known here. Only if there are none, nothing happening is a mistake.
  const isDrivenLater = onWorkflowEnqueued ?? http?.tick ?? rest.platform;
  if (isDrivenLater === undefined) warnWhenIdle({ ...parts, database });
  return {
    engine,
    context: parts.context,
    awaitResult: parts.awaitResult,
    find: parts.find,
    sql: createHostSql(database),
    dialect: toStoreDialect(database.dialect, false),
    isOurs,
    http,
    platform: rest.platform,
    mountRoute,
    onWorkflowEnqueued: onWorkflowEnqueued ?? null,
    onWorkflowTerminal,
    onWorkflowRestarted,
  };
}

interface Filing extends Pick<Host, "newId"> {
  /** Files hooks for runs that become due by time. */
  readonly timed: ((commits: readonly Commit[]) => readonly Statement[]) | null;
  /** Called after a commit that has filed hooks for ends; null: none are filed. */
  readonly ends: (() => void) | null;
}

/** The store; its commits file the hooks that are wanted. */
function createFilingStore(database: Database, { newId, timed, ends }: Filing): Store {
  const fileEnds = ends === null ? null : createEndHooks(database.dialect, newId);
  const store = createMigratedStore({
    database,
    alongside: (commits) => [...(timed?.(commits) ?? []), ...(fileEnds?.(commits) ?? [])],
  });
  if (ends === null) return store;
  return {
    ...store,
    async commit(commits) {
      const results = await store.commit(commits);
      if (commits.some(mayEnd)) ends();
      return results;
    },
  };
}

/** Tested by shape, because another installed copy of the adapter works, too. */
function isFragnoAdapter(adapter: object): adapter is FragnoAdapter {
  return "database" in adapter && "loadMigrations" in adapter;
}

function openStockAdapter(adapter: object, logger: Logger): Database {
  installRuntimeShims();
  const database = createStockDatabase(adapter);
  if (database === null) {
    throw new WorkflowError(
      "DEPLOY_OPTIONS_INVALID",
      "databaseAdapter must be made by createFragnoAdapter, or be one of Fragno's own on Postgres or SQLite",
      { path: "databaseAdapter", expected: "createFragnoAdapter({ database })" },
    );
  }
  logger.log("warn", "fragment.stock_adapter", {
    unsafe: [
      "hooks run on the request's time, may run twice, and may run a request's transaction again",
      "hooks of a composed service are filed under the caller's fragment",
      "two creations of one id at the same instant: one fails with the driver's own error",
      "writes of step.do and onConsume (tx) are refused",
      "each statement is a round trip",
    ],
    instead: "createFragnoAdapter of @escapement/fragno",
  });
  return database;
}

const createHostSql = ({ dialect }: Database): HostSql => ({
  now: () => sqlExpression([dialect.now]),
  clock: () => sqlExpression([dialect.clock]),
  // NUL cannot occur in SQL text, so that it finds the place of the value again.
  instant: (at) => new SqlExpression(dialect.fromMs("\0").split("\0"), [at]),
});
