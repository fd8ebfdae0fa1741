/** A store that fails on purpose at the calls that a test names: it dies, loses answers, and delivers late or twice. */
import { WorkflowError } from "../core/errors.ts";
import type { Store } from "../ports/store.ts";

/** Names of the store's operations. */
export type StoreVerb = Exclude<keyof Store, "close" | "callsAtOnce" | "isLocal">;

/**
 * What happens to a call. `before`: it fails and nothing is written. `after`: it is applied and its answer is lost. `hang`:
 * it never answers, as in a process that was killed. `late`: it fails, but still reaches the store, after the next call has.
 * `twice`: it succeeds, and reaches the store again after the next call has. `none`: it succeeds.
 */
export type Fault = "none" | "before" | "after" | "hang" | "late" | "twice";

/** One call of a store, as the test sees it. */
export interface StoreCall {
  readonly verb: StoreVerb;
  /** 1-based count of calls to this store, of any verb. */
  readonly call: number;
}

/** A store whose calls fail, arrive late or arrive twice, as the test says. */
export interface FaultStore extends Store {
  /** Calls so far. */
  readonly calls: readonly StoreCall[];
  /** From now on every call hangs, as if the process were dead. Calls that are on their way still arrive. */
  kill(): void;
  /** Delivers the calls that were held back to arrive late or twice, in the order in which they were made. */
  deliverHeld(): Promise<void>;
}

type AnyCall = (...parameters: readonly unknown[]) => Promise<unknown>;

/** Wraps a store. `plan` is called before each call. */
export function createFaultStore(
  store: Store,
  plan: (call: StoreCall) => Fault = () => "none",
): FaultStore {
  const calls: StoreCall[] = [];
  let held: (() => Promise<unknown>)[] = [];
  let isKilled = false;
  const deliverHeld = async (): Promise<void> => {
    const arriving = held;
    held = [];
    for (const arrive of arriving) await arrive();
  };
  const wrap = <TVerb extends StoreVerb>(verb: TVerb): Store[TVerb] => {
    const run = async (...parameters: readonly unknown[]): Promise<unknown> => {
      const call: StoreCall = { verb, call: calls.length + 1 };
      calls.push(call);
      const fault = isKilled ? "hang" : plan(call);
      const send = (): Promise<unknown> => (store[verb] as AnyCall)(...parameters);
      const early = held.length;
      if (fault === "late" || fault === "twice") held.push(() => send().catch(() => undefined));
      if (fault === "hang") return new Promise(() => {});
      if (fault === "before" || fault === "late") throw unavailable(verb);
      const result = await send();
      if (early > 0) await deliverHeld();
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
    deliverHeld,
    create: wrap("create"),
    claim: wrap("claim"),
    commit: wrap("commit"),
    control: wrap("control"),
    restartOrCreate: wrap("restartOrCreate"),
    rewind: wrap("rewind"),
    update: wrap("update"),
    findLive: wrap("findLive"),
    listChildren: wrap("listChildren"),
    findExpired: wrap("findExpired"),
    deleteExpired: wrap("deleteExpired"),
    emptyExpired: wrap("emptyExpired"),
    fork: wrap("fork"),
    moving: wrap("moving"),
    sendEvent: wrap("sendEvent"),
    loadSteps: wrap("loadSteps"),
    loadEvents: wrap("loadEvents"),
    loadReply: wrap("loadReply"),
    emit: wrap("emit"),
    deliver: wrap("deliver"),
    listWaiters: wrap("listWaiters"),
    readProgress: wrap("readProgress"),
    loadInstance: wrap("loadInstance"),
    listInstances: wrap("listInstances"),
    loadFacts: wrap("loadFacts"),
    findInstances: wrap("findInstances"),
    countInstances: wrap("countInstances"),
    measureActivity: wrap("measureActivity"),
    listLeases: wrap("listLeases"),
    listCallbacks: wrap("listCallbacks"),
    loadHistory: wrap("loadHistory"),
    now: wrap("now"),
    close: () => store.close(),
  };
}

const unavailable = (verb: StoreVerb): WorkflowError =>
  new WorkflowError("STORE_UNAVAILABLE", `the fault store failed ${verb} on purpose`, { verb });
