/** `event.reply`: answers an event, once. Its row is part of the boundary that is due anyway, and a replay passes over it. */
import { toLimits } from "../core/default-limits.ts";
import { toStepWrite } from "../core/model/step-record.ts";
import { toReplyText } from "../core/event-reply.ts";
import { WorkflowError } from "../core/errors.ts";
import { isSettled } from "../core/history/history.ts";
import { REPLY_NAME, toReplyKey } from "../core/reply-key.ts";
import { repliesOf } from "./event-replies.ts";
import type { Session } from "./session-interface.ts";
import { othersOf } from "./other-pending.ts";

/** An event that a step has taken. */
export interface TakenEvent {
  /** Its row id; undefined: an earlier version stored the step's result. */
  readonly id: string | undefined;
  /** The sender's own id; undefined: none. */
  readonly eventId: string | undefined;
  readonly stepKey: string;
  /** Its index among the events that the step took. */
  readonly index: number;
}

/**
 * Makes the `reply` of an event.
 *
 * @returns a function that throws EVENT_ALREADY_ANSWERED if it is called again, NOT_SERIALIZABLE, or PAYLOAD_TOO_LARGE
 */
export function createReply(session: Session, event: TakenEvent): (value?: unknown) => void {
  let isAnswered = false;
  return (value) => {
    if (isAnswered) throw alreadyAnswered(event);
    const reply = toReplyText(value, toLimits(session.context.limits).maxEventPayloadBytes);
    isAnswered = true;
    answer(session, event, reply);
  };
}

function answer(
  session: Session,
  { id, eventId, stepKey: takenBy, index }: TakenEvent,
  reply: string,
): void {
  const { known, order, pending } = session;
  const stepKey = toReplyKey(takenBy, index);
  if (session.isOver || id === undefined) return session.warnAfterEnd(stepKey);
  const record = known.recordOf(stepKey);
  if (record !== null && isSettled(record)) return order.passOver(record.settledOrder);
  if (!session.stepLimit.add("reply")) return;
  const newId = session.context.host.newId();
  const identity = { newId, stepKey, name: REPLY_NAME, type: "reply" } as const;
  const write = toStepWrite(identity, null, { status: "completed" });
  pending.addSettled({ ...write, ...order.allocate() });
  repliesOf(known).answer(id, eventId);
  othersOf(pending).replies.push({ kind: "eventReplied", eventId: id, reply });
  session.authorActed();
}

const alreadyAnswered = ({ stepKey }: TakenEvent): WorkflowError =>
  new WorkflowError(
    "EVENT_ALREADY_ANSWERED",
    `the event that step "${stepKey}" took was replied to already; reply to an event once`,
    { stepKey },
  );
