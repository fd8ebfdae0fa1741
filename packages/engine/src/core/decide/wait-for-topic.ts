/** Decides what a call of `step.waitForTopic` does, given history and the message that has arrived for it. */
import { isForStep, type Since, toSinceText, toTopicEvent } from "../topic-event.ts";
import type { DurationMs, StepRecord } from "../model/records.ts";
import { recordedWake, type StepIdentity, toStepWrite } from "../model/step-record.ts";
import {
  decideWaitForEvent,
  type WaitForEventDecision,
  type WaitSituation,
} from "./wait-for-event.ts";

export interface WaitForTopicCommand extends StepIdentity {
  readonly topic: string;
  readonly timeoutMs: DurationMs;
  /** null: messages that come after the wait was recorded. */
  readonly since: Since | null;
}

/**
 * Like `decideWaitForEvent`: a message is stored as an event of the run, for one step. A wait that `retry` has reopened is recorded
 * again, because the commit that records a wait sets its position among the topic's messages.
 */
export function decideWaitForTopic(
  record: StepRecord | null,
  { topic, timeoutMs, since, ...identity }: WaitForTopicCommand,
  situation: WaitSituation,
): WaitForEventDecision {
  const events = situation.events.filter((event) => isForStep(event, identity.stepKey));
  const command = { ...identity, eventType: toTopicEvent(topic), timeoutMs, since: "run" } as const;
  const decision = decideWaitForEvent(record, command, { ...situation, events });
  if (decision.kind !== "wait") return decision;
  const { wake } = decision;
  const isReopened = record !== null && record.status !== "waiting";
  const step =
    decision.step ??
    (isReopened
      ? toStepWrite(identity, record, {
          status: "waiting",
          wake: recordedWake(record) ?? wake,
          waitEventType: command.eventType,
        })
      : null);
  return { ...decision, step: step && { ...step, result: toSinceText(since) } };
}
