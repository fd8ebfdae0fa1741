/** A process that runs workflows, set up as in an application, which can be killed. */
import type { Database } from "@escapement/db";
import { type AnyFragnoInstantiatedDatabaseFragment, migrate } from "@fragno-dev/db";
import type { Engine, Logger, WorkflowsRegistry } from "@escapement/engine";
import type { Host } from "@escapement/engine/internal";
import { createHooksProcessor } from "../adapter/hooks/processor.ts";
import { createFragnoAdapter } from "../adapter/adapter.ts";
import { createWorkflowsFragment } from "../fragment/create-fragment.ts";
import { defaultFragnoRuntime } from "../fragment/runtime.ts";
import type { FragmentSource } from "./fragments-builder.ts";
import { createKillableDatabase } from "./killable-database.ts";

export interface RunnerOptions {
  readonly workflows: WorkflowsRegistry;
  readonly sources: ReadonlyMap<string, FragmentSource<unknown>>;
  readonly database: Database;
  readonly host: Host;
  readonly logger: Logger;
  readonly env: unknown;
}

export type BuiltFragment = AnyFragnoInstantiatedDatabaseFragment;

export interface Runner {
  readonly engine: Engine;
  /** The application's fragments, by key. */
  readonly fragments: Readonly<Record<string, BuiltFragment>>;
  /** Those, and the workflows fragment. */
  readonly all: readonly BuiltFragment[];
  /** Runs due hooks. @returns how many */
  runHooks(): Promise<number>;
  kill(): void;
}

export function startRunner(options: RunnerOptions): Runner {
  const { workflows, env, host, logger } = options;
  const database = createKillableDatabase(options.database);
  const databaseAdapter = createFragnoAdapter({ database });
  const workflowsFragment = createWorkflowsFragment(
    { workflows, env, host, logger, runtime: defaultFragnoRuntime },
    { databaseAdapter },
  );
  const build = (source: FragmentSource<unknown>): BuiltFragment => {
    const made =
      typeof source === "function" ? source({ workflows: workflowsFragment.services }) : source;
    return made.withOptions({ databaseAdapter: databaseAdapter as never }).build() as BuiltFragment;
  };
  const entries = [...options.sources].map(([key, source]) => [key, build(source)] as const);
  const all = [workflowsFragment as BuiltFragment, ...entries.map(([, fragment]) => fragment)];
  const hooks = createHooksProcessor(all);
  return {
    engine: workflowsFragment.engine,
    fragments: Object.fromEntries(entries),
    all,
    runHooks: async () => (await hooks.process()).processedCount,
    kill: () => database.kill(),
  };
}

/** Creates the tables of all fragments. */
export async function migrateAll({ all }: Runner): Promise<void> {
  for (const fragment of all) await migrate(fragment);
}
