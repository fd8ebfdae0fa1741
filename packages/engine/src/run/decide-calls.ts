/** Decides about all calls of a session at one moment. */
import type { EventRecord } from "../core/model/records.ts";
import type { Call, CallDecision, Calls } from "./call.ts";
import type { PendingChanges } from "./pending-changes.ts";

type Settle = Extract<CallDecision, { kind: "settle" }>;

type Other = Exclude<CallDecision, Settle | { kind: "later" }>;

/** A call and the decision about it. */
export interface DecidedCall<Decision = CallDecision> {
  readonly call: Call;
  readonly decision: Decision;
}

export interface DecidedCalls {
  /** Calls that have an outcome, in the order in which the outcomes came about. */
  readonly settled: readonly DecidedCall<Settle>[];
  readonly others: readonly DecidedCall<Other>[];
}

/**
 * Decides about every call that has nothing under way. A call whose write waits to be committed is decided after that.
 *
 * @returns null: a call cannot be decided yet
 */
export function decideCalls(calls: Calls, pending: PendingChanges): DecidedCalls | null {
  const { undecided } = calls;
  if (undecided.length === 0) return NONE;
  const settled: DecidedCall<Settle>[] = [];
  const others: DecidedCall<Other>[] = [];
  for (const call of undecided) {
    if (pending.has(call.stepKey)) continue;
    const decision = call.decide();
    if (decision.kind === "later") return null;
    if (decision.kind === "settle") settled.push({ call, decision });
    else others.push({ call, decision });
  }
  if (settled.length > 1) settled.sort((a, b) => compare(a.decision, b.decision));
  return { settled, others };
}

const NONE: DecidedCalls = { settled: [], others: [] };

/** An outcome that came with its call is the last. Within a millisecond, time comes before events, and events are in their order of arrival. */
function compare(a: Settle, b: Settle): number {
  if (a.at !== b.at) return (a.at ?? Infinity) - (b.at ?? Infinity);
  return a.at === null ? 0 : causeOf(a) - causeOf(b);
}

const causeOf = ({ event, completedBy }: Settle): number => (event ?? completedBy)?.sequence ?? 0;

/** Whether the events that a wait takes are still there: an earlier wait may have taken them. */
export const isThere = (
  { event, batch = [] }: Pick<Settle, "event" | "batch">,
  { list }: { readonly list: readonly EventRecord[] },
): boolean =>
  (event === undefined || list.includes(event)) && batch.every((one) => list.includes(one));
