/** The verbs for single instances, which the bindings and the HTTP API are built on. */
import { late } from "../core/late.ts";
import { createFind } from "../authoring/find-workflow.ts";
import { createBatcher } from "../process/batcher.ts";
import { awaitResult, getInstance } from "./await-result.ts";
import type { BindingService } from "./bindings.ts";
import { completeCallback, identifyCallback } from "./complete-callback.ts";
import { type EngineContext, toHostContext } from "./context.ts";
import { createBatch, createInstance, type CreateOne } from "./create.ts";
import { getReply } from "./get-reply.ts";
import { controlInstance, isRetryFrom, toStoreCommand } from "./manage.ts";
import { restartOrCreate } from "./restart-or-create.ts";
import { sendEvent } from "./send-event.ts";
import { toInstanceView } from "./views.ts";

const shareCalls = ({ store, telemetry }: EngineContext): CreateOne =>
  createBatcher((instances) => store.create(instances), {
    maxInFlight: store.callsAtOnce ?? 2,
    maxBatch: 100,
    enqueue: telemetry?.enqueue,
  });

const describing = late(() => import("./describe.ts"));
const explaining = late(() => import("./explain.ts"));
const rewind = late(() => import("./rewind.ts"));
const emits = late(() => import("./emit.ts"));
const progress = late(() => import("./read-progress.ts"));
const deletes = late(() => import("./delete-instance.ts"));
const updates = late(() => import("./update.ts"));

/**
 * Creates the verbs.
 *
 * @param createOne @default creates that happen together share a trip
 */
export const createVerbs = (
  engine: EngineContext,
  createOne: CreateOne = shareCalls(engine),
): BindingService => {
  const context = toHostContext(engine);
  const find = createFind(context);
  return {
    createInstance: async (name, input) =>
      createInstance(context, find(name), { input, createOne }),
    createBatch: async (name, instances, options) =>
      createBatch(context, find(name), instances, options),
    getInstance: async (name, id, options) =>
      toInstanceView(await getInstance(context, find(name), { id, options })),
    explainInstance: async (workflowName, id) =>
      (await explaining()).explainInstance(context, find, { workflowName, id }),
    describeInstance: async (name, id) =>
      (await describing()).describeInstance(context, find(name), id),
    control: async (name, id, asked, options) => {
      if (isRetryFrom(asked, options))
        return (await rewind()).retryFrom(context, find(name), { ...options, id });
      const command = toStoreCommand(asked, options);
      return controlInstance(context, find(name), { ...options, id, command });
    },
    restartOrCreate: async (name, input) => restartOrCreate(context, find(name), input),
    rewind: async (name, id, stepKey, options) =>
      (await rewind()).rewindInstance(context, find(name), { ...options, id, stepKey }),
    fork: async (name, id, stepKey, options = {}) =>
      (await rewind()).forkInstance(context, find(name), { id, stepKey, options }),
    update: async (name, id, options) =>
      (await updates()).updateInstance(context, find(name), id, options),
    deleteInstance: async (name, id, options) =>
      (await deletes()).deleteInstance(context, find(name), { id, options }),
    awaitResult: async (name, id, options) => awaitResult(context, find(name), { id, options }),
    sendEvent: async (name, id, event) => sendEvent(context, find(name), { id, event }),
    getReply: async (name, id, eventId, options) =>
      getReply(context, find(name), { id, eventId, options }),
    readProgress: async (name, id, options) =>
      (await progress()).readProgress(context, find(name), { id, options }),
    emit: async (topic, ...[payload, options]) =>
      (await emits()).emit(context, { topic, payload, options }),
    listWaiters: async (topic, options) => (await emits()).listWaiters(context, topic, options),
    completeCallback: async (token, payload) => completeCallback(context, token, payload),
    verifyCallback: async (token) => void (await identifyCallback(context, token)),
  };
};
