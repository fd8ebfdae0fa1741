/** @module An engine for functions that only tick: it starts, runs and wakes workflows. */
import type { Workflow } from "../authoring/bindings.ts";
import type { Bindings } from "../authoring/bound-types.ts";
import type { WorkflowsRegistry } from "../authoring/registry.ts";
import { late } from "../core/late.ts";
import type { CoreService } from "../ports/service.ts";
import { createParts, type PartsChoice, type PartsOptions } from "./parts.ts";
import type { BindingService } from "./bindings.ts";

const verbCode = late(() => import("./verbs.ts"));
const bindingCode = late(() => import("./bindings.ts"));

/** `EngineOptions` without the HTTP API. */
type TickEngineOptions<TRegistry extends WorkflowsRegistry> = PartsOptions<TRegistry>;

/** An engine for functions that only tick. */
export interface TickEngine<
  TRegistry extends WorkflowsRegistry = WorkflowsRegistry,
> extends CoreService {
  readonly workflows: Bindings<TRegistry>;
}

/**
 * Creates an engine without HTTP, lists and loops: the smallest bundle that can tick. `createTickHandler` of
 * `@escapement/engine/http` adds the tick route. Methods that workflow code may call on its bindings (create, send an event,
 * pause) are loaded when first called.
 *
 * @throws {WorkflowError} WORKFLOW_INVALID, INVALID_WORKFLOW_NAME
 */
export function createTickEngine<const TRegistry extends WorkflowsRegistry>(
  options: TickEngineOptions<TRegistry>,
): TickEngine<TRegistry> {
  const { service, bindings } = createParts(options, {
    createVerbs: createLateVerbs,
    createBindings: createLateBindings,
    createMissingBinding: createLateMissing,
  });
  const engine: TickEngine<TRegistry> = {
    ...service,
    workflows: bindings as Bindings<TRegistry>,
  };
  options.platform?.attach?.(engine);
  return engine;
}

const VERBS: Readonly<Record<Exclude<keyof BindingService, "refuseWait">, 1>> = {
  createInstance: 1,
  createBatch: 1,
  getInstance: 1,
  describeInstance: 1,
  explainInstance: 1,
  control: 1,
  restartOrCreate: 1,
  rewind: 1,
  fork: 1,
  update: 1,
  deleteInstance: 1,
  awaitResult: 1,
  sendEvent: 1,
  getReply: 1,
  readProgress: 1,
  completeCallback: 1,
  emit: 1,
  listWaiters: 1,
  verifyCallback: 1,
};

const BINDING: Readonly<Record<keyof Workflow, 1>> = {
  create: 1,
  execute: 1,
  createBatch: 1,
  restartOrCreate: 1,
  get: 1,
};

/** Creates methods whose code is loaded when one of them is first called: most ticks call none. */
const createLate = <T extends object>(
  names: Readonly<Partial<Record<keyof T, 1>>>,
  load: () => Promise<T>,
): T =>
  Object.fromEntries(
    Object.keys(names).map((name) => [
      name,
      async (...input: never[]) =>
        ((await load())[name as keyof T] as (...input: never[]) => unknown)(...input),
    ]),
  ) as T;

const createLateVerbs: PartsChoice["createVerbs"] = (context) => {
  let verbs: Promise<BindingService> | undefined;
  return createLate<BindingService>(
    VERBS,
    () => (verbs ??= Promise.resolve(verbCode()).then(({ createVerbs }) => createVerbs(context))),
  );
};

const createLateBindings: PartsChoice["createBindings"] = (service, registry) =>
  Object.fromEntries(
    [...registry.values()].map(({ bindingKey, name }) => [
      bindingKey,
      createLate<Workflow>(BINDING, async () => (await bindingCode()).createBinding(service, name)),
    ]),
  );

const createLateMissing: PartsChoice["createMissingBinding"] = (...missing) =>
  createLate<Workflow>(BINDING, async () => (await bindingCode()).createMissingBinding(...missing));
