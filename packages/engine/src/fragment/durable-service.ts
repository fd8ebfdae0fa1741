/** The engine's verbs through the fragment's services, so that hooks are filed with what they do. */
import { createJitteredRetryPolicy } from "@escapement/db/fragno";
import { ConcurrencyConflictError, type TxResult } from "@fragno-dev/db";
import type { BoundServices } from "@fragno-dev/core";
import { WorkflowError } from "../core/errors.ts";
import type { CreateInstanceInput, EngineService, InstanceView } from "../ports/service.ts";
import { toWorkflowError } from "../stores/sql/apply-batch.ts";
import type { HandlerThis } from "./definition.ts";
import type { WorkflowsServices } from "./services/services.ts";

/** The part of the fragment that is needed. */
interface Transacting {
  readonly services: BoundServices<WorkflowsServices>;
  inContext<T>(callback: (this: HandlerThis) => Promise<T>): Promise<T>;
}

/** As the engine, but each write is a transaction of the fragment. */
export function createDurableService(engine: EngineService, fragment: Transacting): EngineService {
  const { services } = fragment;
  const execute = async <T>(call: () => TxResult<T>): Promise<T> => {
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
  const createInstance = (name: string, input: CreateInstanceInput): Promise<InstanceView> =>
    execute(() => services.createInstance(name, input));
  return {
    ...engine,
    createInstance,
    createBatch: (name, instances) => execute(() => services.createBatch(name, instances)),
    control: async (name, id, command) => ({
      id,
      details: await execute(() => services[command](name, id)),
    }),
    sendEvent: async (name, id, event) => ({
      id,
      details: await execute(() => services.sendEvent(name, id, event)),
    }),
  };
}

/** As the engine's own verbs would say it. */
function toEngineError(error: unknown): unknown {
  if (!(error instanceof ConcurrencyConflictError)) return toWorkflowError(error);
  const message = "the database stayed busy with other writers";
  return new WorkflowError("STORE_UNAVAILABLE", message, {}, error);
}
