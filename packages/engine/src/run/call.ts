/** Calls of steps that workflow code has made and has not been told the outcome of. */
import type { OpenWait } from "../core/decide/park.ts";
import type { ChildCreated, StepWrite } from "../core/model/change.ts";
import type { EpochMs, EventRecord } from "../core/model/records.ts";
import type { StepType } from "../core/model/status.ts";
import type { RunningBody } from "./body.ts";
import type { Carry } from "./pending-changes.ts";

/** Starts the body of a call for an attempt. */
export type BeginBody = (call: Call, started: StepWrite) => RunningBody;

/**
 * What is to become of a call, given what is known now.
 *
 * - `settle`: the outcome is there since `at`; null: it came with the call.
 * - `wait`: time or an event will end it. `step`: a row that says so, if it is not written yet.
 * - `start`: its body is to run.
 * - `later`: code is being loaded that decides it; nothing is decided before.
 * - `read`: events of a type are to be read first.
 */
export type CallDecision =
  | {
      readonly kind: "settle";
      readonly at: EpochMs | null;
      readonly step: StepWrite;
      /** The event that a wait consumes with this. */
      readonly event?: EventRecord;
      /** The events that a `receive` consumes with this. */
      readonly batch?: readonly EventRecord[];
      /** The one of them with which the batch was complete. */
      readonly completedBy?: EventRecord | undefined;
      /** The message that an `emit` is, or the entry that a `progress` is. */
      readonly carry?: Carry;
    }
  | ({
      readonly kind: "wait";
      readonly step: StepWrite | null;
      /** That is created with the row. */
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

/** How author code is told what its call of a step came to. */
export interface Told {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A call of a step that author code waits for. */
export interface Call {
  readonly told: Told;
  readonly stepKey: string;
  readonly type: StepType;
  /** It goes on though the instance is cancelled. */
  readonly isShielded: boolean;
  /** Looks at what is known now. Not asked while a write of the step waits to be committed. */
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

/** Of a call that is not open yet. */
const LATER = (): CallDecision => ({ kind: "later" });

const NOBODY: Told = { resolve: () => {}, reject: () => {} };

/** The calls of one session whose outcome history does not have, in the order in which they were made. */
export class Calls {
  readonly #entries = new Map<string, Entry>();

  has(stepKey: string): boolean {
    return this.#entries.has(stepKey);
  }

  open(call: Call): void {
    this.#entries.set(call.stepKey, { call, state: OPEN });
  }

  /** Keeps the place among the calls of one that is to be opened: it is in flight, and not to be decided. */
  reserve(stepKey: string, type: StepType): void {
    const call: Call = { told: NOBODY, stepKey, type, isShielded: false, decide: LATER };
    this.#entries.set(stepKey, { call, state: BUSY });
  }

  /** It was not opened after all, if it was not. */
  unreserve(stepKey: string): void {
    if (this.#entries.get(stepKey)?.call.told === NOBODY) this.remove(stepKey);
  }

  /** Its outcome is known, or its body runs or is about to: it is not to be decided. */
  setBusy(call: Call): void {
    this.#set(call, BUSY);
  }

  setWaiting(call: Call, { wake, reason }: CallWait): void {
    this.#set(call, { kind: "waiting", wait: { wake, reason } });
  }

  /** Its body did not start after all. */
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

  /** What keeps the run from going on, for each call that waits. */
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
