/** The engine's verbs through the fragment's services, so that hooks are filed with what they do. */
import { createJitteredRetryPolicy } from "@escapement/db/fragno";
import type { TxResult } from "@fragno-dev/db";
import type { BoundServices } from "@fragno-dev/core";
import type { CreateInstanceInput, EngineService, InstanceView } from "../ports/service.ts";
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
  const execute = <T>(call: () => TxResult<T>): Promise<T> =>
    fragment.inContext(async function () {
      const [result] = await this.handlerTx({ retryPolicy: createJitteredRetryPolicy() })
        .withServiceCalls(() => [call()] as const)
        .execute();
      return result as T;
    });
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
