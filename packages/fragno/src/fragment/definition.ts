/** The fragment's definition for Fragno. */
import { defineFragment, type FragmentDefinition } from "@fragno-dev/core";
import { type HookContext, type InternalFragmentInstance, withDatabase } from "@fragno-dev/db";
import type {
  DatabaseHandlerContext,
  DatabaseRequestStorage,
  ImplicitDatabaseDependencies,
} from "@fragno-dev/db/fragment-definition-builder";
import type { AnySchema } from "@fragno-dev/db/schema";
import { hookSignal } from "../adapter/hooks/hook-run.ts";
import { NAMESPACE, workflowsSchema } from "../schema/workflows-schema.ts";
import type { HookCall, WorkflowsFragmentOptions } from "./config.ts";
import type { FragmentHost } from "./fragment-host.ts";
import type { WorkflowsHooks } from "./hooks.ts";
import { toTerminal } from "./end-hooks.ts";
import { extendWorkflowsSchema } from "./schema.ts";
import { createServices, type ServiceThis, type WorkflowsServices } from "./services/services.ts";

/** `this` in a route, and in `inContext`. */
export type HandlerThis = DatabaseHandlerContext<WorkflowsHooks>;

/** Fragments that a database fragment links. */
export type LinkedFragments = { _fragno_internal: InternalFragmentInstance };

/** Additional arguments of the definition's callbacks. */
export type WorkflowsDependencies = ImplicitDatabaseDependencies<AnySchema>;

/**
 * The definition, mainly for types: `InstantiatedFragmentFromDefinition<typeof workflowsFragmentDefinition>["services"]`. To
 * create the fragment, call `createWorkflowsFragment`, which also creates its engine.
 */
export const workflowsFragmentDefinition: FragmentDefinition<
  FragmentHost,
  WorkflowsFragmentOptions,
  WorkflowsDependencies,
  WorkflowsServices,
  {},
  {},
  {},
  ServiceThis,
  HandlerThis,
  DatabaseRequestStorage,
  LinkedFragments
> = createDefinition();

const toCall = ({ idempotencyKey }: Pick<HookContext, "idempotencyKey">): HookCall => ({
  idempotencyKey,
  signal: hookSignal(),
});

function createDefinition(): typeof workflowsFragmentDefinition {
  extendWorkflowsSchema();
  return defineFragment<FragmentHost>("workflows")
    .extend(withDatabase(workflowsSchema, NAMESPACE))
    .provideHooks<WorkflowsHooks>(({ config, defineHook }) => ({
      onWorkflowEnqueued: defineHook(async function (enqueued) {
        const { engine, onWorkflowEnqueued } = config;
        await onWorkflowEnqueued?.(enqueued, { engine, ...toCall(this) });
      }),
      onWorkflowTerminal: defineHook(async function (filed) {
        await config.onWorkflowTerminal?.(toTerminal(filed), toCall(this));
      }),
      onWorkflowRestarted: defineHook(async function (restarted) {
        await config.onWorkflowRestarted?.(restarted, toCall(this));
      }),
    }))
    .providesBaseService(({ config }) => createServices(config))
    .build();
}
