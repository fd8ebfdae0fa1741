/** A store that fails on purpose: dies, loses answers, or is slow, at the call that a test names. */
import { WorkflowError } from "../core/errors.ts";
import type { Store } from "../ports/store.ts";

export type StoreVerb = Exclude<keyof Store, "close" | "callsAtOnce">;

/**
 * What happens to a call. `before`: it fails and nothing is written. `after`: it is applied and its answer is lost.
 * `hang`: it never answers, as in a process that was killed. `none`: it goes through.
 */
export type Fault = "none" | "before" | "after" | "hang";

export interface StoreCall {
  readonly verb: StoreVerb;
  /** 1-based count of calls to this store, of any verb. */
  readonly call: number;
}

export interface FaultStore extends Store {
  /** Calls so far. */
  readonly calls: readonly StoreCall[];
  /** From now on every call hangs: the process that uses the store is dead. */
  kill(): void;
}

/** Wraps a store; `plan` is asked before each call. */
export function createFaultStore(
  store: Store,
  plan: (call: StoreCall) => Fault = () => "none",
): FaultStore {
  const calls: StoreCall[] = [];
  let isKilled = false;
  const wrap = <TVerb extends StoreVerb>(verb: TVerb): Store[TVerb] => {
    const run = async (...parameters: readonly unknown[]): Promise<unknown> => {
      const call: StoreCall = { verb, call: calls.length + 1 };
      calls.push(call);
      const fault = isKilled ? "hang" : plan(call);
      if (fault === "hang") return new Promise(() => {});
      if (fault === "before") throw unavailable(verb);
      const result = await (store[verb] as (...all: readonly unknown[]) => Promise<unknown>)(
        ...parameters,
      );
      if (isKilled) return new Promise(() => {});
      if (fault === "after") throw unavailable(verb);
      return result;
    };
    return run as unknown as Store[TVerb];
  };
  return {
    calls,
    kill: () => {
      isKilled = true;
    },
    create: wrap("create"),
    claim: wrap("claim"),
    commit: wrap("commit"),
    control: wrap("control"),
    sendEvent: wrap("sendEvent"),
    loadInstance: wrap("loadInstance"),
    listInstances: wrap("listInstances"),
    loadHistory: wrap("loadHistory"),
    now: wrap("now"),
    close: () => store.close(),
  };
}

const unavailable = (verb: StoreVerb): WorkflowError =>
  new WorkflowError("STORE_UNAVAILABLE", `the fault store failed ${verb} on purpose`, { verb });
