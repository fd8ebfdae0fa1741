/** The way between runners and the store: every call takes time, and some meet with a fault. */
import { WorkflowError } from "@escapement/engine";
import type { Random } from "../random.ts";
import type { Fault, FaultKind } from "../scenario.ts";
import type { Owner, Scheduler } from "../scheduler.ts";
import type { Commit, CommitResult, Store } from "./engine-types.ts";

export type Verb = Exclude<keyof Store, "close" | "callsAtOnce" | "isLocal">;

/** A caller of the store. */
export interface Caller extends Owner {
  readonly runner: number;
  readonly life: number;
  /** When its calls last met with a fault. */
  troubledAt: number;
  die(): void;
}

export interface StoreCall {
  readonly caller: Caller;
  readonly verb: Verb;
  readonly parameters: readonly unknown[];
  /** Calls that reach the store a second time, or after the caller was told that they failed. */
  readonly isStray: boolean;
}

export interface NetworkOptions {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly faults: readonly Fault[];
  readonly calmAt: number;
  /** Applies a call to the store. */
  readonly apply: (call: StoreCall) => Promise<unknown>;
  /** A caller makes a call. */
  readonly asked: (call: StoreCall) => void;
  /** An answer has reached its caller. */
  readonly delivered: (call: StoreCall, answer: unknown) => void;
}

const VERBS: readonly Verb[] = [
  "create",
  "claim",
  "commit",
  "control",
  "sendEvent",
  "loadInstance",
  "listInstances",
  "loadHistory",
  "loadSteps",
  "restartOrCreate",
  "rewind",
  "fork",
  "loadEvents",
  "update",
  "findLive",
  "listChildren",
  "findExpired",
  "deleteExpired",
  "emptyExpired",
  "loadReply",
  "readProgress",
  "emit",
  "deliver",
  "now",
];

/** A client gives up after so long. */
const CLIENT_TIMEOUT_MS = 30_000;

export class Network {
  callCount = 0;
  /** Faults that came to pass, as `kind verb`. */
  readonly faultsMet: Set<string> = new Set();
  readonly #options: NetworkOptions;
  readonly #faults: ReadonlyMap<number, Fault>;

  constructor(options: NetworkOptions) {
    this.#options = options;
    this.#faults = new Map(options.faults.map((fault) => [fault.call, fault]));
  }

  /** The store as one caller reaches it. */
  connect(caller: Caller, base: Store): Store {
    const verbs = VERBS.map((verb) => [
      verb,
      (...parameters: readonly unknown[]) =>
        this.#call({ caller, verb, parameters, isStray: false }),
    ]);
    return { ...base, ...(Object.fromEntries(verbs) as Store), close: async () => {} };
  }

  #call(call: StoreCall): Promise<unknown> {
    const { scheduler, random, calmAt } = this.#options;
    this.callCount += 1;
    const { caller } = call;
    this.#options.asked(call);
    const fault = scheduler.now < calmAt ? this.#faults.get(this.callCount) : undefined;
    const there = random.int(1, 4);
    const back = random.int(0, 3);
    if (!caller.isAlive) return never();
    if (fault === undefined) return this.#plainCall(call, there, back);
    caller.troubledAt = scheduler.now + fault.ms;
    this.faultsMet.add(`${fault.kind} ${call.verb}`);
    if (fault.kind.startsWith("crash")) {
      caller.die();
      if (fault.kind !== "crashBefore")
        this.#stray(call, fault.kind === "crashLate" ? fault.ms : 0);
      return never();
    }
    return this.#faultyCall(call, { kind: fault.kind, ms: fault.ms, there, back });
  }

  #plainCall(call: StoreCall, there: number, back: number): Promise<unknown> {
    const { scheduler } = this.#options;
    return new Promise((resolve, reject) => {
      scheduler.after(there, null, async () => {
        const answer = await this.#apply(call);
        scheduler.after(back, call.caller, () => {
          if ("error" in answer) return reject(answer.error);
          this.#options.delivered(call, answer.value);
          resolve(answer.value);
        });
      });
    });
  }

  #faultyCall(
    call: StoreCall,
    fault: {
      readonly kind: FaultKind;
      readonly ms: number;
      readonly there: number;
      readonly back: number;
    },
  ): Promise<unknown> {
    const { ms, there, back } = fault;
    switch (fault.kind) {
      case "refused":
        return this.#fail(call, there + back);
      case "denied":
        return this.#deny(call, there + back);
      case "answerLost":
        this.#stray({ ...call }, there);
        return this.#fail(call, there + Math.min(ms, CLIENT_TIMEOUT_MS));
      case "late":
        this.#stray(call, ms);
        return this.#fail(call, there + back);
      case "twice":
        this.#stray(call, there + ms);
        return this.#plainCall(call, there, back);
      case "slow":
        return this.#plainCall(call, ms, back);
      case "slowAnswer":
        return this.#plainCall(call, there, ms);
      case "crashBefore":
      case "crashAfter":
      case "crashLate":
        return never();
    }
  }

  /** A call that reaches the store although nobody waits for its answer any more. */
  #stray(call: StoreCall, delayMs: number): void {
    const { scheduler } = this.#options;
    scheduler.after(delayMs, null, () => this.#apply({ ...call, isStray: true }));
  }

  /** Each commit of the call by itself, as the database would. */
  async #deny(call: StoreCall, delayMs: number): Promise<readonly CommitResult[]> {
    if (call.verb !== "commit") return this.#fail(call, delayMs);
    await this.#options.scheduler.sleep(delayMs, call.caller);
    const error = new RangeError("the network denied a commit on purpose");
    return (call.parameters[0] as readonly Commit[]).map(() => ({ kind: "failed", error }));
  }

  async #fail({ caller, verb }: StoreCall, delayMs: number): Promise<never> {
    await this.#options.scheduler.sleep(delayMs, caller);
    throw new WorkflowError("STORE_UNAVAILABLE", `the network failed ${verb} on purpose`, { verb });
  }

  async #apply(call: StoreCall): Promise<{ value: unknown } | { error: unknown }> {
    try {
      return { value: await this.#options.apply(call) };
    } catch (error) {
      return { error };
    }
  }
}

const never = (): Promise<never> => new Promise(() => {});
