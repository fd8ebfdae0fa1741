/** `step.waitForEvent`: decides about it, and makes its result. Loaded when a run first waits for an event. */
import type { ReceivedEvent, WaitForEventOptions } from "../authoring/events.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { assertDeclared } from "../authoring/declared.ts";
import { decideWaitForEvent, type WaitForEventCommand } from "../core/decide/wait-for-event.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import type { StepRecord } from "../core/model/records.ts";
import type { Call, CallDecision } from "./call.ts";
import type { StepKind } from "./open-call.ts";
import { createReply } from "./reply.ts";
import type { Session } from "./session-interface.ts";
import { toWaitCommand } from "./wait-step.ts";
import { type StoredEvent, toEventData } from "./event-data.ts";
import { eventsOf } from "./known-events.ts";
import { othersOf } from "./other-pending.ts";

/** Every option of `step.waitForEvent`; the last one is for steps that write into other tables. */
const WAIT_OPTIONS: Readonly<Record<keyof WaitForEventOptions | "onConsume", 1>> = {
  type: 1,
  timeout: 1,
  since: 1,
  onConsume: 1,
};

export const createWaitKind = (
  session: Session,
  workflow: RegisteredWorkflow,
): StepKind<WaitForEventOptions, ReturnType<typeof toWaitCommand>> => ({
  type: "waitForEvent",
  check: (options) => toWaitCommand(session, options),
  toOutcome: (value, stepKey) => toReceivedEvent(session, { value, stepKey, index: 0 }),
  toDecide(identity, command, options) {
    assertKnownOptions("waitForEvent", options, WAIT_OPTIONS);
    // A wait that is open in the history was begun by earlier code, and goes on.
    const record = session.known.openRecordOf(identity.stepKey);
    if (record?.waitEventType !== command.eventType) assertDeclared(workflow, command.eventType);
    session.transactions?.expect(workflow, identity.stepKey, options);
    return toWaitDecision(session, { ...identity, ...command });
  },
});

/** Returns the decision function of a wait. */
export function toWaitDecision(session: Session, command: WaitForEventCommand): Call["decide"] {
  const { known, pending } = session;
  othersOf(pending);
  const { stepKey, eventType: called } = command;
  warnRetyped(session, known.openRecordOf(stepKey), { stepKey, called });
  return (): CallDecision => {
    const record = known.openRecordOf(command.stepKey);
    const decision = decideWaitForEvent(record, command, {
      now: known.now,
      events: known.events.list,
      knownSequence: eventsOf(known).readAfter(command.eventType),
    });
    const { eventType } = command;
    if (decision.kind !== "deliver" && eventsOf(known).isUnread(eventType))
      return { kind: "read", eventTypes: [eventType] };
    if (decision.kind !== "wait") return { ...decision, kind: "settle" };
    return { ...decision, reason: "wake" };
  };
}

/** Logs that the code waits for another type of event than the history says. */
export function warnRetyped(
  session: Session,
  record: StepRecord | null,
  { stepKey, called }: { readonly stepKey: string; readonly called: string },
): void {
  if (record === null || record.waitEventType === called) return;
  const recorded = record.waitEventType;
  const fields = { stepKey, recorded, called };
  session.warnDiverged("the code waits for another type of event than the history", fields);
}

/** An event as authors see it, with `reply`. Copies do not have it, so an event can be returned and stored as a result. */
export function toReceivedEvent(
  session: Session,
  {
    value,
    ...taken
  }: { readonly value: unknown; readonly stepKey: string; readonly index: number },
): ReceivedEvent<unknown> {
  const { id, eventId } = value as StoredEvent;
  const reply = createReply(session, { ...taken, id, eventId });
  return Object.defineProperty(toEventData(value), "reply", {
    value: reply,
  }) as ReceivedEvent<unknown>;
}
