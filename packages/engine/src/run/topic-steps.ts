/** @module `step.waitForTopic` and `step.emit`. Loaded when a run first calls one of them. */
import { toLimits } from "../core/default-limits.ts";
import type { TopicMessage, WaitForTopicOptions } from "../authoring/topic.ts";
import type { MessageEmitted } from "../core/model/change.ts";
import { type StepIdentity, toStepWrite } from "../core/model/step-record.ts";
import { decideWaitForTopic, type WaitForTopicCommand } from "../core/decide/wait-for-topic.ts";
import { assertInvariant, WorkflowError } from "../core/errors.ts";
import { isSettled } from "../core/history/history.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import type { EpochMs } from "../core/model/records.ts";
import { findTopic, parseMessage } from "../authoring/topic-message.ts";
import { toRetention } from "../core/topic-retention.ts";
import { fromPosition, type Since, toPosition, toTopicEvent } from "../core/topic-event.ts";
import type { Call, CallDecision } from "./call.ts";
import type { StepKind } from "./open-call.ts";
import type { Called } from "./open-prepared.ts";
import type { Carry } from "./pending-changes.ts";
import { othersOf } from "./other-pending.ts";
import type { Session } from "./session-interface.ts";
import { warnRetyped } from "./event-wait.ts";
import { toTimeoutMs } from "./wait-step.ts";
import type { EmitInput } from "../ports/topic-service.ts";
import { eventsOf } from "./known-events.ts";

const WAIT_OPTIONS: Readonly<Record<keyof WaitForTopicOptions, 1>> = { timeout: 1, since: 1 };
const EMIT_OPTIONS: Readonly<Record<keyof EmitInput, 1>> = { id: 1 };

/** A call of `step.waitForTopic`. */
export interface CalledWait extends Called {
  readonly topic: unknown;
  readonly options: WaitForTopicOptions;
}

/** @returns a function that opens its wait */
export function prepareWait({
  session,
  place,
  identified,
  outcome,
  open,
  ...given
}: CalledWait): () => void {
  return () => outcome.follow(open(place, createWaitKind(session), identified, given));
}

type Given = Pick<CalledWait, "topic" | "options">;
type CheckedWait = Omit<WaitForTopicCommand, keyof StepIdentity>;

const createWaitKind = (session: Session): StepKind<Given, CheckedWait> => ({
  type: "waitForTopic",
  check({ topic, options }) {
    assertKnownOptions("step.waitForTopic", options, WAIT_OPTIONS);
    const timeoutMs = toTimeoutMs(session, options.timeout);
    const name = findTopic(session.context, topic).name;
    return { topic: name, timeoutMs, since: parseSince(options.since) };
  },
  toOutcome: toMessage,
  toDecide: (identity, checked) => toWaitDecision(session, { ...identity, ...checked }),
});

/** @throws {WorkflowError} INVALID_REQUEST */
function parseSince(since: WaitForTopicOptions["since"] = "now"): Since | null {
  if (since === "now") return null;
  const after = typeof since === "string" ? fromPosition(since) : null;
  if (after !== null) return { after };
  const at = since instanceof Date ? since.getTime() : since;
  if (typeof at === "number" && Number.isSafeInteger(at) && at >= 0) return { at };
  throw new WorkflowError(
    "INVALID_REQUEST",
    `since of step.waitForTopic is invalid; expected "now", a Date, epoch milliseconds or the position of a message`,
    { option: "since" },
  );
}

function toWaitDecision(session: Session, command: WaitForTopicCommand): Call["decide"] {
  const { known, pending } = session;
  othersOf(pending);
  const { stepKey } = command;
  const called = toTopicEvent(command.topic);
  warnRetyped(session, known.openRecordOf(stepKey), { stepKey, called });
  return (): CallDecision => {
    const decision = decideWaitForTopic(known.openRecordOf(stepKey), command, {
      now: known.now,
      events: known.events.list,
      knownSequence: eventsOf(known).readAfter(called),
    });
    if (decision.kind !== "deliver" && eventsOf(known).isUnread(called))
      return { kind: "read", eventTypes: [called] };
    if (decision.kind !== "wait") return { ...decision, kind: "settle" };
    return { ...decision, reason: "wake" };
  };
}

/** Reads a message from the stored result of a wait, which is an event with the message as its payload. */
function toMessage(value: unknown): TopicMessage<unknown> {
  const { type, createdAt, payload } = value as {
    readonly type: string;
    readonly createdAt: EpochMs;
    readonly payload: {
      readonly position?: number;
      readonly id?: string;
      readonly payload?: unknown;
    };
  };
  const { position, ...message } = payload;
  return {
    topic: type.slice(toTopicEvent("").length),
    timestamp: new Date(createdAt),
    // A message that an earlier version delivered has no position.
    ...(position === undefined ? {} : { position: toPosition(position) }),
    ...message,
    payload: message.payload as Readonly<unknown>,
  } as TopicMessage<unknown>;
}

/** A call of `step.emit`. */
export interface CalledEmit extends Called {
  readonly topic: unknown;
  readonly payload: unknown;
  readonly options: EmitInput;
}

type Emission = Pick<MessageEmitted, "topic" | "messageId" | "message">;

/** Validates the payload, unless the message was emitted before, because a schema may be stricter by now. @returns a function that opens the step */
export async function prepareEmit(called: CalledEmit): Promise<() => void> {
  const { session, place, identified, outcome, open } = called;
  const { record } = identified;
  const emission = record !== null && isSettled(record) ? null : await describeMessage(called);
  return () => outcome.follow(open(place, createEmitKind(session), identified, emission));
}

async function describeMessage(called: CalledEmit): Promise<Emission> {
  const { session, topic: ref, payload, options } = called;
  assertKnownOptions("step.emit", options, EMIT_OPTIONS);
  const { context } = session;
  const limits = toLimits(context.limits);
  const topic = findTopic(context, ref);
  return { ...(await parseMessage(topic, payload, { ...options, limits })), topic: topic.name };
}

const createEmitKind = (session: Session): StepKind<Emission | null, Emission | null> => ({
  type: "emit",
  check: (emission) => emission,
  toDecide(identity, emission) {
    const { stepKey, newId: rowId } = identity;
    assertInvariant(emission !== null, "a message was emitted unchecked", { stepKey });
    const { host, limits } = session.context;
    const step = toStepWrite(identity, null, { status: "completed" });
    const emitted: MessageEmitted = {
      ...emission,
      kind: "messageEmitted",
      stepKey,
      rowId,
      topicRowId: host.newId(),
      retention: toRetention(toLimits(limits)),
    };
    const carry: Carry = (pending) => othersOf(pending).messages.add(emitted);
    return (): CallDecision => ({ kind: "settle", at: null, step, carry });
  },
});
