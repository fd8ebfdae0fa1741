/** `engine.with(tx)`: the engine's verbs inside a transaction of the caller's. */
import { assertInvariant, WorkflowError } from "../core/errors.ts";
import type { CallersTransaction } from "../ports/transaction.ts";
import type { EngineService } from "../ports/service.ts";
import type { Bindings } from "../authoring/bound-types.ts";
import type { WorkflowsRegistry } from "../authoring/registry.ts";
import type { Store } from "../ports/store.ts";
import type { BindingService } from "./bindings.ts";
import type { HostContext } from "./context.ts";
import type { CreateOne } from "./create.ts";
import { createLateBindings, createLateVerbs } from "./late-verbs.ts";

/**
 * The engine within a transaction. It is usable as long as the transaction lasts. If a method throws, the transaction is as it
 * was before the call.
 */
export interface EngineWithin<TRegistry extends WorkflowsRegistry = WorkflowsRegistry> extends Pick<
  EngineService,
  | "createInstance"
  | "createBatch"
  | "getInstance"
  | "describeInstance"
  | "explainInstance"
  | "control"
  | "restartOrCreate"
  | "rewind"
  | "fork"
  | "update"
  | "deleteInstance"
  | "sendEvent"
  | "getReply"
  | "readProgress"
  | "completeCallback"
  | "emit"
  | "listWaiters"
> {
  /**
   * Like `Engine.workflows`, except that `result`, `execute`, `ask` and `stream` are refused, because nothing runs before the
   * commit.
   */
  readonly workflows: Bindings<TRegistry>;
  /**
   * Call it after the commit, so that what the transaction made due runs at once, as after the engine's own commits. Otherwise
   * the next tick or poll finds it.
   */
  committed(): void;
}

/** @throws {WorkflowError} TRANSACTION_UNUSABLE — the store is on no SQL database */
export function openWithin(context: HostContext, transaction: CallersTransaction): EngineWithin {
  const store = context.store.within?.(transaction);
  if (store === undefined) throw unusable("the engine's store has no transactions");
  const due: Parameters<HostContext["wake"]>[] = [];
  const createOne: CreateOne = async (instance) => {
    const [result] = await store.create([instance]);
    assertInvariant(result !== undefined, "a store answered no result");
    return result;
  };
  const inside = toInside(context, store, due);
  const made = createLateVerbs(inside, createOne);
  const { awaitResult: _, getInstance, getReply, readProgress, ...others } = made;
  const verbs: Omit<BindingService, "awaitResult"> = {
    ...others,
    getInstance: (name, id, options) =>
      options?.waitMs ? refuseWait() : getInstance(name, id, options),
    getReply: (name, id, eventId, options) =>
      options?.waitMs ? refuseWait() : getReply(name, id, eventId, options),
    readProgress: (name, id, options) =>
      options?.waitMs ? refuseWait() : readProgress(name, id, options),
  };
  return {
    ...verbs,
    workflows: createLateBindings(
      { ...verbs, awaitResult: refuseWait, refuseWait },
      context.registry,
    ),
    committed: () => {
      for (const wake of due.splice(0)) context.wake(...wake);
    },
  };
}

/** Before the commit, nobody else sees what is created. So this process claims none of it, and is told after the commit. */
const toInside = (
  context: HostContext,
  store: Store,
  due: Parameters<HostContext["wake"]>[],
): HostContext => ({
  ...context,
  store,
  reserveSlot: () => null,
  isWithin: true,
  wake: (...wake) => void due.push(wake),
});

const refuseWait = (): Promise<never> =>
  Promise.reject(unusable("an instance has no result before the transaction commits"));

const unusable = (message: string): WorkflowError =>
  new WorkflowError("TRANSACTION_UNUSABLE", message);
