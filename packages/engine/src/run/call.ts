/** Calls of steps whose outcome workflow code does not know yet. */
import type { OpenWait } from "../core/decide/park.ts";
import type { ChildCreated, StepWrite } from "../core/model/change.ts";
import type { EpochMs, EventRecord } from "../core/model/records.ts";
import type { StepType } from "../core/model/status.ts";
import type { RunningBody } from "./body.ts";
import type { Carry } from "./pending-changes.ts";

/** Starts the body of a call for an attempt. */
export type BeginBody = (call: Call, started: StepWrite) => RunningBody;

/**
 * The decision about a call, from what is known now.
 *
 * - `settle`: the outcome exists since `at`; null: it came with the call.
 * - `wait`: time or an event will end the step. `step`: the row for that, if it is not written yet.
 * - `start`: run its body.
 * - `later`: the code that decides is being loaded.
 * - `read`: read events of a type first.
 */
export type CallDecision =
  | {
      readonly kind: "settle";
      readonly at: EpochMs | null;
      readonly step: StepWrite;
      /** The event that the wait consumes. */
      readonly event?: EventRecord;
      /** The events that the `receive` consumes. */
      readonly batch?: readonly EventRecord[];
      /** The event that completed the batch. */
      readonly completedBy?: EventRecord | undefined;
      /** Adds the message of an `emit`, or the entry of a `progress`. */
      readonly carry?: Carry;
    }
  | ({
      readonly kind: "wait";
      readonly step: StepWrite | null;
      /** The child that is created with the row. */
      readonly child?: ChildCreated | undefined;
    } & CallWait)
  | { readonly kind: "later" }
  | { readonly kind: "read"; readonly eventTypes: readonly string[] }
  | { readonly kind: "start"; readonly started: StepWrite; readonly begin: BeginBody };

/** What a call waits for: `wake` by time or event, `retry` for its next attempt. */
export interface CallWait {
  readonly wake: OpenWait["wake"];
  readonly reason: OpenWait["kind"];
}

/** Tells author code the outcome of its call. */
export interface Receiver {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A call of a step that author code waits for. */
export interface Call {
  readonly receiver: Receiver;
  readonly stepKey: string;
  readonly type: StepType;
  /** The step continues even if the instance is cancelled. */
  readonly isShielded: boolean;
  /** Decides from what is known now. It is not called while a write of the step waits to be committed. */
  readonly decide: () => CallDecision;
}

type CallState =
  | { readonly kind: "open" | "busy" }
  | { readonly kind: "waiting"; readonly wait: CallWait };

interface Entry {
  readonly call: Call;
  state: CallState;
}

const OPEN: CallState = { kind: "open" };
const BUSY: CallState = { kind: "busy" };

/** The decision about a call that is not open yet. */
const LATER = (): CallDecision => ({ kind: "later" });

const NOBODY: Receiver = { resolve: () => {}, reject: () => {} };

/** The calls of a session that have no outcome in the history, in the order in which they were made. */
export class Calls {
  readonly #entries = new Map<string, Entry>();

  has(stepKey: string): boolean {
    return this.#entries.has(stepKey);
  }

  open(call: Call): void {
    this.#entries.set(call.stepKey, { call, state: OPEN });
  }

  /** Reserves a place among the calls for one that will be opened. It is in flight, and nothing is decided about it yet. */
  reserve(stepKey: string, type: StepType): void {
    const call: Call = { receiver: NOBODY, stepKey, type, isShielded: false, decide: LATER };
    this.#entries.set(stepKey, { call, state: BUSY });
  }

  /** Removes a reserved call that was never opened. */
  unreserve(stepKey: string): void {
    if (this.#entries.get(stepKey)?.call.receiver === NOBODY) this.remove(stepKey);
  }

  /** Nothing is to be decided about the call now: its outcome is known, or its body runs or is about to start. */
  setBusy(call: Call): void {
    this.#set(call, BUSY);
  }

  setWaiting(call: Call, { wake, reason }: CallWait): void {
    this.#set(call, { kind: "waiting", wait: { wake, reason } });
  }

  /** The call's body did not start after all, so it has to be decided again. */
  reopen(call: Call): void {
    this.#set(call, OPEN);
  }

  remove(stepKey: string): void {
    this.#entries.delete(stepKey);
  }

  get all(): readonly Call[] {
    return [...this.#entries.values()].map(({ call }) => call);
  }

  /** Calls that are to be decided, or decided again. */
  get undecided(): readonly Call[] {
    const calls: Call[] = [];
    for (const { call, state } of this.#entries.values())
      if (state.kind !== "busy") calls.push(call);
    return calls;
  }

  /** The waits that keep the run from continuing, one for each waiting call. */
  get waits(): readonly (OpenWait & { readonly stepKey: string })[] {
    const waits: (OpenWait & { readonly stepKey: string })[] = [];
    for (const { call, state } of this.#entries.values()) {
      if (state.kind !== "waiting") continue;
      const { wake, reason: kind } = state.wait;
      waits.push({ stepKey: call.stepKey, wake, kind });
    }
    return waits;
  }

  #set({ stepKey }: Call, state: CallState): void {
    const entry = this.#entries.get(stepKey);
    if (entry !== undefined) entry.state = state;
  }
}
