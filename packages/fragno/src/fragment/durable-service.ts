/** The engine's verbs through the fragment's services, so that they file hooks. */
import * as fragno from "@fragno-dev/db";
import type { BoundServices } from "@fragno-dev/core";
import { type EngineService, type InstanceView, WorkflowError } from "@escapement/engine";
import {
  type CreateInstanceInput,
  identifyCallback,
  identifyCreate,
  identifyFork,
  isRetryFrom,
  toWorkflowError,
} from "@escapement/engine/internal";
import { createJitteredRetryPolicy } from "../adapter/retry-policy.ts";
import type { FragmentHost } from "./fragment-host.ts";
import type { HandlerThis } from "./definition.ts";
import type { WorkflowsServices } from "./services/services.ts";

/** The part of the fragment that is needed. */
interface Transacting {
  readonly services: BoundServices<WorkflowsServices>;
  inContext<T>(callback: (this: HandlerThis) => Promise<T>): Promise<T>;
}

type Execute = <T>(call: () => fragno.TxResult<T>) => Promise<T>;

/** The engine's verbs that write. */
type DurableVerbs = Pick<
  EngineService,
  | "createInstance"
  | "createBatch"
  | "control"
  | "restartOrCreate"
  | "rewind"
  | "fork"
  | "update"
  | "sendEvent"
  | "completeCallback"
  | "emit"
>;

/** Each verb is a transaction of the fragment. */
export function createDurableVerbs(
  { engine, context, isOurs }: Pick<FragmentHost, "engine" | "context" | "isOurs">,
  fragment: Transacting,
): DurableVerbs {
  const { services } = fragment;
  // The engine's original methods, before the handle's are replaced.
  const { control, rewind, fork, update, emit, getInstance } = engine;
  const execute: Execute = async <T>(call: () => fragno.TxResult<T>): Promise<T> => {
    try {
      const [result] = await fragment.inContext(function () {
        return this.handlerTx({ retryPolicy: createJitteredRetryPolicy() })
          .withServiceCalls(() => [call()] as const)
          .execute();
      });
      return result as T;
    } catch (error) {
      throw toEngineError(error);
    }
  };
  return {
    ...createStartVerbs(services, execute),
    control: async (name, id, command, options) => {
      if (!isOurs && isRetryFrom(command, options)) return control(name, id, command, options);
      return { id, details: await execute(() => services[command](name, id, options)) };
    },
    ...(isOurs
      ? createOwnStatementVerbs({ services, getInstance }, execute)
      : { rewind, fork, update, emit }),
    sendEvent: async (name, id, event) => ({
      id,
      details: await execute(() => services.sendEvent(name, id, event)),
    }),
    completeCallback: async (token, payload) => {
      const callback = await identifyCallback(context, token);
      const details = await execute(() => services.completeCallback(callback, payload));
      return { id: callback.instanceId, details };
    },
  };
}

/** With a key, the id of an instance is derived from it. */
function createStartVerbs(
  services: Transacting["services"],
  execute: Execute,
): Pick<DurableVerbs, "createInstance" | "createBatch" | "restartOrCreate"> {
  const createInstance = async (
    name: string,
    input: CreateInstanceInput,
  ): Promise<InstanceView> => {
    const identified = await identifyCreate(name, input);
    return execute(() => services.createInstance(name, identified));
  };
  const createBatch: EngineService["createBatch"] = async (name, instances, options = {}) => {
    const identified = await Promise.all(
      instances.map(async (input) => ({
        ...(await identifyCreate(name, { ...input, ...options })),
        id: input.id,
      })),
    );
    return execute(() => services.createBatch(name, identified));
  };
  return {
    createInstance,
    createBatch,
    restartOrCreate: async (name, input) => {
      const { idempotencyKey, id } = input;
      const keyed = idempotencyKey === undefined ? {} : { idempotencyKey };
      const { instanceRowId } = await identifyCreate(name, { id, ...keyed });
      const rowId = instanceRowId === undefined ? {} : { instanceRowId };
      return execute(() => services.restartOrCreate(name, { ...input, ...rowId }));
    },
  };
}

/** For adapters whose units of work accept statements. */
const createOwnStatementVerbs = (
  { services, getInstance }: Pick<Transacting, "services"> & Pick<EngineService, "getInstance">,
  execute: Execute,
): Pick<EngineService, "rewind" | "fork" | "update" | "emit"> => ({
  rewind: async (name, id, stepKey, options) => ({
    id,
    details: await execute(() => services.rewind(name, id, stepKey, options)),
  }),
  fork: async (name, id, stepKey, options = {}) => {
    const identified = await identifyFork(name, options);
    return execute(() => services.fork(name, id, stepKey, identified));
  },
  update: async (name, id, options) => {
    await execute(() => services.update(name, id, options));
    return getInstance(name, id);
  },
  emit: (topic, ...message) => execute(() => services.emit(topic, ...message)),
});

/** The error as the engine's own verbs would throw it. */
function toEngineError(error: unknown): unknown {
  if (!(error instanceof fragno.ConcurrencyConflictError)) return toWorkflowError(error);
  const message = "the database stayed busy with other writers";
  return new WorkflowError("STORE_UNAVAILABLE", message, {}, error);
}
