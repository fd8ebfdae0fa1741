/** `engine.workflows.KEY`: typed handles over the engine's own service. */
import type {
  AskOptions,
  ResultOptions,
  Workflow,
  WorkflowInstance,
} from "../authoring/bindings.ts";
import type { StreamOptions } from "../authoring/progress.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import type { LifecycleCommand } from "../core/decide/lifecycle.ts";
import { late } from "../core/late.ts";
import type { CoreService } from "../ports/service.ts";
import type { SendEventInput } from "../ports/event-inputs.ts";
import type { CommandOptions } from "../ports/command-options.ts";

const asking = late(() => import("./ask.ts"));
const streaming = late(() => import("./stream-progress.ts"));

/** See `WorkflowInstance.result`. @param id of the instance, or what creates it */
export type AwaitResult = (
  workflowName: string,
  id: string | (() => Promise<string>),
  options?: ResultOptions,
) => Promise<unknown>;

/** What bindings need. */
export interface BindingService extends Omit<CoreService, "listWorkflows" | "tick"> {
  readonly awaitResult: AwaitResult;
  /** Rejects: nothing can be waited for. Absent: it can. */
  readonly refuseWait?: () => Promise<never>;
}

/** One binding per registered workflow, by registry key. */
export function createBindings(
  service: BindingService,
  registry: ReadonlyMap<string, RegisteredWorkflow>,
): Readonly<Record<string, Workflow>> {
  return Object.fromEntries(
    [...registry.values()].map((workflow) => [
      workflow.bindingKey,
      createBinding(service, workflow.name),
    ]),
  );
}

/** That of one workflow. */
export function createBinding(service: BindingService, workflowName: string): Workflow {
  return {
    create: async (options = {}) => {
      const { id } = await service.createInstance(workflowName, options);
      return createInstanceHandle(service, workflowName, id);
    },
    execute: async ({ timeout, ...options } = {}) => {
      const create = async (): Promise<string> =>
        (await service.createInstance(workflowName, options)).id;
      return service.awaitResult(workflowName, create, timeout === undefined ? {} : { timeout });
    },
    createBatch: async (batch, options) => {
      const { instances } = await service.createBatch(workflowName, batch, options);
      return instances.map(({ id }) => createInstanceHandle(service, workflowName, id));
    },
    restartOrCreate: async (options) => {
      const { id, outcome } = await service.restartOrCreate(workflowName, options);
      return { outcome, instance: createInstanceHandle(service, workflowName, id) };
    },
    get: async (id) => {
      await service.getInstance(workflowName, id);
      return createInstanceHandle(service, workflowName, id);
    },
  };
}

function createInstanceHandle(
  service: BindingService,
  workflowName: string,
  id: string,
): WorkflowInstance {
  const control =
    (command: LifecycleCommand) =>
    async (options?: CommandOptions): Promise<void> =>
      void (await service.control(workflowName, id, command, options));
  return {
    id,
    status: async () => (await service.getInstance(workflowName, id)).details,
    describe: () => service.describeInstance(workflowName, id),
    explain: () => service.explainInstance(workflowName, id),
    result: (options) => service.awaitResult(workflowName, id, options),
    pause: control("pause"),
    resume: control("resume"),
    cancel: control("cancel"),
    terminate: control("terminate"),
    restart: control("restart"),
    retry: control("retry"),
    rewind: async (step, options) => void (await service.rewind(workflowName, id, step, options)),
    fork: async (step, options) => {
      const forked = await service.fork(workflowName, id, step, options);
      return createInstanceHandle(service, workflowName, forked.id);
    },
    update: async (options) => void (await service.update(workflowName, id, options)),
    delete: async () => void (await service.deleteInstance(workflowName, id)),
    sendEvent: async (event) => void (await service.sendEvent(workflowName, id, event)),
    ask: async <T>(event: SendEventInput, options?: AskOptions) => {
      await service.refuseWait?.();
      const { ask } = await asking();
      return (await ask(service, { workflowName, instanceId: id }, { event, options })) as T;
    },
    async *stream<T>(options?: StreamOptions) {
      await service.refuseWait?.();
      const { streamProgress } = await streaming();
      yield* streamProgress<T>(service, { workflowName, instanceId: id }, options);
    },
  };
}
