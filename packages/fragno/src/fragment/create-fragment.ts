/** Creates the workflows fragment. */
import { type FragnoInstantiatedFragment, instantiate, type BoundServices } from "@fragno-dev/core";
import type { DatabaseRequestStorage } from "@fragno-dev/db/fragment-definition-builder";
import type { Bindings, Engine, EngineService, WorkflowsRegistry } from "@escapement/engine";
import {
  createBindings,
  createShell,
  type Shell,
  warnOfUnguarded,
} from "@escapement/engine/internal";
import type { WorkflowsFragmentConfig, WorkflowsFragmentOptions } from "./config.ts";
import {
  type HandlerThis,
  type LinkedFragments,
  type WorkflowsDependencies,
  workflowsFragmentDefinition,
} from "./definition.ts";
import { createDurableService } from "./durable-service.ts";
import { createDoor } from "./door.ts";
import { createFragmentHost, type FragmentHost } from "./fragment-host.ts";
import type { WorkflowsRoutes } from "./clients/routes.ts";
import { createRoutes } from "./routes.ts";
import type { ServiceThis, WorkflowsServices } from "./services/services.ts";

/** Fragno's fragment, and the engine inside it. */
export type WorkflowsFragment<TRegistry extends WorkflowsRegistry = WorkflowsRegistry> =
  FragnoInstantiatedFragment<
    WorkflowsRoutes,
    WorkflowsDependencies,
    BoundServices<WorkflowsServices>,
    ServiceThis,
    HandlerThis,
    DatabaseRequestStorage,
    WorkflowsFragmentOptions,
    LinkedFragments
  > & {
    /** Starts and finds instances, in transactions of their own. */
    readonly workflows: Bindings<TRegistry>;
    /** Ticks and drives; `createDurableHooksProcessor` does it for you. Its other verbs file no hooks. */
    readonly engine: Engine<TRegistry>;
  };

/**
 * Creates the fragment. Migrate it with Fragno's `migrate(fragment)`, or with `migrate(database)` of
 * `@escapement/engine/store/sql`: both give the same database. Nothing advances until something ticks:
 * `createDurableHooksProcessor([fragment])`, or the tick route.
 *
 * @throws {WorkflowError} WORKFLOW_INVALID, INVALID_WORKFLOW_NAME, DEPLOY_OPTIONS_INVALID
 */
export function createWorkflowsFragment<const TRegistry extends WorkflowsRegistry>(
  config: WorkflowsFragmentConfig<TRegistry>,
  options: WorkflowsFragmentOptions,
): WorkflowsFragment<TRegistry> {
  const host = createFragmentHost(config, options);
  const engine = host.engine as Engine<TRegistry>;
  const shell = createFragmentShell(host);
  const door = createDoor(shell);
  let service: EngineService = engine;
  const fragment = instantiate(workflowsFragmentDefinition)
    .withConfig(host)
    .withRoutes([createRoutes(shell, door, () => service)])
    .withOptions(options)
    .build();
  if (filesHooks(host)) {
    service = createDurableService(host, fragment);
    // These are what workflow code has, too: whoever starts an instance files its hook.
    const { context, awaitResult } = host;
    Object.assign(engine.workflows, createBindings({ ...service, awaitResult }, context.registry));
  }
  const handler = door.guard(fragment.handler);
  return Object.assign(fragment, { handler, workflows: engine.workflows, engine });
}

const filesHooks = (host: FragmentHost): boolean =>
  host.onWorkflowEnqueued !== null ||
  host.onWorkflowTerminal !== undefined ||
  host.onWorkflowRestarted !== undefined;

/** What the routes share. Whoever creates the fragment mounts them. */
function createFragmentShell({ context, engine, http, mountRoute }: FragmentHost): Shell {
  const { logger, limits } = context;
  const bounds = { maxBatchSize: limits.maxBatchSize, ...http?.limits };
  const shell = createShell(engine, { logger, ...http, limits: bounds, mountRoute });
  warnOfUnguarded(shell, http?.logger ?? logger);
  return shell;
}
