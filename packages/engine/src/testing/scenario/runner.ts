/** A process that runs workflows, wired as an application wires it, which can be killed. */
import type { Database } from "@escapement/db";
import { createDurableHooksProcessor, createFragnoAdapter } from "@escapement/db/fragno";
import { type AnyFragnoInstantiatedDatabaseFragment, migrate } from "@fragno-dev/db";
import type { WorkflowsRegistry } from "../../authoring/registry.ts";
import { createStepTransactions } from "../../fragment/step-transactions.ts";
import { createEngine, type Engine } from "../../host/engine.ts";
import type { Host } from "../../ports/host.ts";
import type { Logger } from "../../ports/logger.ts";
import { createSqlStore, migrate as migrateEngine } from "../../stores/sql/index.ts";
import type { FragmentInstantiation } from "./fragments-builder.ts";
import { createKillableDatabase } from "./killable-database.ts";

export interface RunnerOptions {
  readonly workflows: WorkflowsRegistry;
  readonly sources: ReadonlyMap<string, FragmentInstantiation<unknown>>;
  readonly database: Database;
  readonly host: Host;
  readonly logger: Logger;
  readonly env: unknown;
}

export type BuiltFragment = AnyFragnoInstantiatedDatabaseFragment;

export interface Runner {
  readonly engine: Engine;
  /** The application's, by key. */
  readonly fragments: Readonly<Record<string, BuiltFragment>>;
  readonly all: readonly BuiltFragment[];
  /** Runs hooks that are due. @returns how many */
  runHooks(): Promise<number>;
  /** Makes all tables. */
  migrate(): Promise<void>;
  kill(): void;
}

export function startRunner(options: RunnerOptions): Runner {
  const { workflows, env, host, logger } = options;
  const database = createKillableDatabase(options.database);
  const databaseAdapter = createFragnoAdapter({ database });
  const engine = createEngine({
    workflows,
    env,
    host,
    logger,
    store: createSqlStore({ database }),
    stepTransactions: createStepTransactions(databaseAdapter),
  });
  const build = (source: FragmentInstantiation<unknown>): BuiltFragment => {
    return source
      .withOptions({ databaseAdapter: databaseAdapter as never })
      .build() as BuiltFragment;
  };
  const entries = [...options.sources].map(([key, source]) => [key, build(source)] as const);
  const all = entries.map(([, fragment]) => fragment);
  const hooks = createDurableHooksProcessor(all);
  return {
    engine,
    fragments: Object.fromEntries(entries),
    all,
    runHooks: async () => (await hooks.process()).processedCount,
    migrate: async () => {
      await migrateEngine(database);
      for (const fragment of all) await migrate(fragment);
    },
    kill: () => database.kill(),
  };
}
