/** @module An engine for functions that only tick: it starts, runs and wakes workflows. */
import type { Bindings } from "../authoring/bound-types.ts";
import type { WorkflowsRegistry } from "../authoring/registry.ts";
import type { CoreService } from "../ports/service.ts";
import { createParts, type PartsChoice, type PartsOptions } from "./parts.ts";
import type { Verbs } from "./verbs.ts";

/** As `EngineOptions`, without the HTTP API. */
export type TickEngineOptions<TRegistry extends WorkflowsRegistry> = PartsOptions<TRegistry>;

/** An engine for functions that only tick. */
export interface TickEngine<
  TRegistry extends WorkflowsRegistry = WorkflowsRegistry,
> extends CoreService {
  readonly workflows: Bindings<TRegistry>;
}

/**
 * As `createEngine`, without HTTP, pages and the loop: the smallest bundle that can tick. `createTickHandler` of
 * `@escapement/engine/http` gives it the tick route. Verbs that workflow code may call on its bindings (create, send an
 * event, pause) are loaded by their first call.
 *
 * @throws {WorkflowError} WORKFLOW_INVALID, INVALID_WORKFLOW_NAME
 */
export function createTickEngine<const TRegistry extends WorkflowsRegistry>(
  options: TickEngineOptions<TRegistry>,
): TickEngine<TRegistry> {
  const { service, bindings } = createParts(options, { createVerbs: createLateVerbs });
  const engine: TickEngine<TRegistry> = {
    ...service,
    workflows: bindings as Bindings<TRegistry>,
  };
  options.platform?.attach?.(engine);
  return engine;
}

const VERBS = [
  "createInstance",
  "createBatch",
  "getInstance",
  "control",
  "restartOrCreate",
  "rewind",
  "fork",
  "awaitResult",
  "sendEvent",
  "getReply",
  "completeCallback",
  "emit",
  "listWaiters",
  "verifyCallback",
] as const satisfies readonly (keyof Verbs)[];

/** The same verbs, loaded when one is called: most ticks call none. */
const createLateVerbs: PartsChoice["createVerbs"] = (context, find) => {
  let verbs: Promise<Verbs> | undefined;
  const load = (): Promise<Verbs> =>
    (verbs ??= import("./verbs.ts").then(({ createVerbs }) => createVerbs(context, find)));
  const late = <TVerb extends keyof Verbs>(verb: TVerb): Verbs[TVerb] =>
    (async (...input: never[]) =>
      ((await load())[verb] as (...input: never[]) => unknown)(...input)) as Verbs[TVerb];
  return Object.fromEntries(VERBS.map((verb) => [verb, late(verb)])) as unknown as Verbs;
};
