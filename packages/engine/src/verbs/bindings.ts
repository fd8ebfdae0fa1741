/** `engine.workflows.KEY`: typed handles on the engine's own service. */
import type {
  AskOptions,
  ResultOptions,
  Workflow,
  WorkflowInstance,
} from "../authoring/bindings.ts";
import type { StreamEntry, StreamOptions } from "../authoring/progress.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import type { LifecycleCommand } from "../core/decide/lifecycle.ts";
import type { Explanation } from "../core/explain/explanation.ts";
import { WorkflowError } from "../core/errors.ts";
import { late } from "../core/late.ts";
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { CoreService } from "../ports/service.ts";
import type { SendEventInput } from "../ports/event-inputs.ts";
import type {
  CommandOptions,
  ForkOptions,
  Preconditions,
  RewindOptions,
  UpdateOptions,
} from "../ports/command-options.ts";
import type { InstanceDescription } from "../ports/describe.ts";
import type { InstanceStatus } from "../ports/instance-views.ts";

const asking = late(() => import("./ask.ts"));
const streaming = late(() => import("./stream-progress.ts"));

/** See `WorkflowInstance.result`. @param id the instance's id, or a function that creates the instance */
export type AwaitResult = (
  workflowName: string,
  id: string | (() => Promise<string>),
  options?: ResultOptions,
) => Promise<unknown>;

/** The calls that bindings need. */
export interface BindingService extends Omit<CoreService, "listWorkflows" | "tick"> {
  readonly awaitResult: AwaitResult;
  /** Rejects where waiting is not possible. Absent: waiting is possible. */
  readonly refuseWait?: () => Promise<never>;
}

/** Creates one binding per registered workflow, by registry key. */
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

/** Creates the binding of one workflow. */
export function createBinding(service: BindingService, workflowName: string): Workflow {
  return {
    create: async (options = {}) => {
      const { id } = await service.createInstance(workflowName, options);
      return new InstanceHandle(service, workflowName, id);
    },
    execute: async ({ timeout, ...options } = {}) => {
      const create = async (): Promise<string> =>
        (await service.createInstance(workflowName, options)).id;
      return service.awaitResult(workflowName, create, timeout === undefined ? {} : { timeout });
    },
    createBatch: async (batch, options) => {
      const { instances } = await service.createBatch(workflowName, batch, options);
      return instances.map(({ id }) => new InstanceHandle(service, workflowName, id));
    },
    restartOrCreate: async (options) => {
      const { id, outcome } = await service.restartOrCreate(workflowName, options);
      return { outcome, instance: new InstanceHandle(service, workflowName, id) };
    },
    get: async (id) => {
      await service.getInstance(workflowName, id);
      return new InstanceHandle(service, workflowName, id);
    },
  };
}

/** A workflow that refuses all calls. @param registered the keys that there are */
export function createMissingBinding(key: string, registered: readonly string[]): Workflow {
  const refuse = (): Promise<never> => {
    const message = `engine.workflows has no "${key}", but ${registered.join(", ")}`;
    const details = { workflowName: key, registered };
    return Promise.reject(new WorkflowError("WORKFLOW_NOT_FOUND", message, details));
  };
  return {
    create: refuse,
    execute: refuse,
    createBatch: refuse,
    restartOrCreate: refuse,
    get: refuse,
  };
}

/** The handle of one instance. It is a class, so that a create makes no closures for all of its verbs. */
class InstanceHandle implements WorkflowInstance {
  readonly id: string;
  readonly #service: BindingService;
  readonly #workflowName: string;

  constructor(service: BindingService, workflowName: string, id: string) {
    this.id = id;
    this.#service = service;
    this.#workflowName = workflowName;
  }

  async status(): Promise<InstanceStatus> {
    return (await this.#service.getInstance(this.#workflowName, this.id)).details;
  }
  describe(): Promise<InstanceDescription> {
    return this.#service.describeInstance(this.#workflowName, this.id);
  }
  explain(): Promise<Explanation> {
    return this.#service.explainInstance(this.#workflowName, this.id);
  }
  result(options?: ResultOptions): Promise<unknown> {
    return this.#service.awaitResult(this.#workflowName, this.id, options);
  }
  pause(options?: CommandOptions): Promise<void> {
    return this.#control("pause", options);
  }
  resume(options?: CommandOptions): Promise<void> {
    return this.#control("resume", options);
  }
  cancel(options?: CommandOptions): Promise<void> {
    return this.#control("cancel", options);
  }
  terminate(options?: CommandOptions): Promise<void> {
    return this.#control("terminate", options);
  }
  restart(options?: CommandOptions): Promise<void> {
    return this.#control("restart", options);
  }
  retry(options?: CommandOptions): Promise<void> {
    return this.#control("retry", options);
  }
  async rewind(step: string, options?: RewindOptions): Promise<void> {
    await this.#service.rewind(this.#workflowName, this.id, step, options);
  }
  async fork(step: string, options?: ForkOptions): Promise<WorkflowInstance> {
    const forked = await this.#service.fork(this.#workflowName, this.id, step, options);
    return new InstanceHandle(this.#service, this.#workflowName, forked.id);
  }
  async update(options: UpdateOptions): Promise<void> {
    await this.#service.update(this.#workflowName, this.id, options);
  }
  async delete(options?: Preconditions): Promise<void> {
    await this.#service.deleteInstance(this.#workflowName, this.id, options);
  }
  async sendEvent(event: SendEventInput): Promise<void> {
    await this.#service.sendEvent(this.#workflowName, this.id, event);
  }
  async ask<T>(event: SendEventInput, options?: AskOptions): Promise<T> {
    await this.#service.refuseWait?.();
    const { ask } = await asking();
    return (await ask(this.#service, this.#ref, { event, options })) as T;
  }
  async *stream<T>(options?: StreamOptions): AsyncGenerator<StreamEntry<T>, void> {
    await this.#service.refuseWait?.();
    const { streamProgress } = await streaming();
    yield* streamProgress<T>(this.#service, this.#ref, options);
  }

  get #ref(): InstanceRef {
    return { workflowName: this.#workflowName, instanceId: this.id };
  }

  async #control(command: LifecycleCommand, options: CommandOptions | undefined): Promise<void> {
    await this.#service.control(this.#workflowName, this.id, command, options);
  }
}
