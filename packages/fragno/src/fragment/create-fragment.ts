/** Creates the workflows fragment. */
import { type FragnoInstantiatedFragment, instantiate, type BoundServices } from "@fragno-dev/core";
import type { DatabaseRequestStorage } from "@fragno-dev/db/fragment-definition-builder";
import type { Bindings, Engine, WorkflowsRegistry } from "@escapement/engine";
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
import { createDurableVerbs } from "./durable-service.ts";
import { createDoor } from "./door.ts";
import { createFragmentHost, type FragmentHost } from "./fragment-host.ts";
import type { WorkflowsRoutes } from "./clients/routes.ts";
import { createRoutes } from "./routes.ts";
import type { ServiceThis, WorkflowsServices } from "./services/services.ts";

/** A fragment of Fragno, with the engine in it. */
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
    /** Creates and finds instances, in its own transactions. */
    readonly workflows: Bindings<TRegistry>;
    /**
     * The engine. `createDurableHooksProcessor` runs it for you. Its methods file hooks like the services; `fetch` and `with`
     * do not.
     */
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
  const fragment = instantiate(workflowsFragmentDefinition)
    .withConfig(host)
    .withRoutes([createRoutes(shell, door)])
    .withOptions(options)
    .build();
  if (filesHooks(host)) {
    // The handle's own methods, and so also those of routes and workflow code, so that every call files its hook.
    Object.assign(engine, createDurableVerbs(host, fragment));
    const { context, awaitResult } = host;
    const verbs = Object.assign(Object.create(engine) as Engine, { awaitResult });
    Object.assign(engine.workflows, createBindings(verbs, context.registry));
  }
  const handler = door.guard(fragment.handler);
  return Object.assign(fragment, { handler, workflows: engine.workflows, engine });
}

const filesHooks = (host: FragmentHost): boolean =>
  host.onWorkflowEnqueued !== null ||
  host.onWorkflowTerminal !== undefined ||
  host.onWorkflowRestarted !== undefined;

/** State that the routes share. The creator of the fragment mounts them. */
function createFragmentShell(host: FragmentHost): Shell {
  const { context, engine, http, mountRoute, platform } = host;
  const { logger, limits } = context;
  const bounds = { maxBatchSize: limits.maxBatchSize, ...http?.limits };
  const shell = createShell(engine, { logger, ...http, limits: bounds, mountRoute }, platform);
  warnOfUnguarded(shell, http?.logger ?? logger);
  return shell;
}
