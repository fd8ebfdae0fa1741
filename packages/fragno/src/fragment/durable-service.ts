/** The engine's verbs through the fragment's services, so that hooks are filed with what they do. */
import * as fragno from "@fragno-dev/db";
import type { BoundServices } from "@fragno-dev/core";
import { type EngineService, type InstanceView, WorkflowError } from "@escapement/engine";
import {
  type CreateInstanceInput,
  identifyCallback,
  identifyCreate,
  identifyFork,
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

/** As the engine, but each write is a transaction of the fragment. */
export function createDurableService(
  { engine, context, isOurs }: Pick<FragmentHost, "engine" | "context" | "isOurs">,
  fragment: Transacting,
): EngineService {
  const { services } = fragment;
  const execute = async <T>(call: () => fragno.TxResult<T>): Promise<T> => {
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
    ...engine,
    createInstance,
    createBatch,
    control: async (name, id, command, options) => ({
      id,
      details: await execute(() => services[command](name, id, options)),
    }),
    restartOrCreate: async (name, input) => {
      const { idempotencyKey, id } = input;
      const keyed = idempotencyKey === undefined ? {} : { idempotencyKey };
      const { instanceRowId } = await identifyCreate(name, { id, ...keyed });
      const rowId = instanceRowId === undefined ? {} : { instanceRowId };
      return execute(() => services.restartOrCreate(name, { ...input, ...rowId }));
    },
    ...(isOurs ? createRewinds(services, execute) : {}),
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

/** Of adapters whose units of work take statements. */
const createRewinds = (
  services: Transacting["services"],
  execute: <T>(call: () => fragno.TxResult<T>) => Promise<T>,
): Pick<EngineService, "rewind" | "fork"> => ({
  rewind: async (name, id, stepKey, options) => ({
    id,
    details: await execute(() => services.rewind(name, id, stepKey, options)),
  }),
  fork: async (name, id, stepKey, options = {}) => {
    const identified = await identifyFork(name, options);
    return execute(() => services.fork(name, id, stepKey, identified));
  },
});

/** As the engine's own verbs would say it. */
function toEngineError(error: unknown): unknown {
  if (!(error instanceof fragno.ConcurrencyConflictError)) return toWorkflowError(error);
  const message = "the database stayed busy with other writers";
  return new WorkflowError("STORE_UNAVAILABLE", message, {}, error);
}
