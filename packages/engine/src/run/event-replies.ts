/** Who of this process waits for a reply to an event, and which replies are yet to be committed. */
interface Awaited {
  readonly told: Promise<void>;
  readonly tell: () => void;
}

function createAwaited(): Awaited {
  let tell = (): void => {};
  const told = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return { told, tell };
}

export class EventReplies {
  /** Own ids of those that senders may wait for, by row id: of events with a reply that is not committed. */
  readonly #answered = new Map<string, string>();
  /** By the sender's own id of the event. */
  readonly #onReply = new Map<string, Awaited>();

  /** When a reply to the event is committed. @param eventId the sender's own */
  whenReplied(eventId: string): Promise<void> {
    const awaited = this.#onReply.get(eventId) ?? createAwaited();
    this.#onReply.set(eventId, awaited);
    return awaited.told;
  }

  /** An event has a reply, which is yet to be committed. @param id of its row */
  answer(id: string, eventId: string | undefined): void {
    if (eventId !== undefined) this.#answered.set(id, eventId);
  }

  /** The reply is committed. @param id of the event's row */
  noteReply(id: string): void {
    const eventId = this.#answered.get(id);
    if (eventId === undefined) return;
    this.#answered.delete(id);
    this.#onReply.get(eventId)?.tell();
    this.#onReply.delete(eventId);
  }
}

/** Those of a session, once there are some or somebody waits for one. */
export const repliesOf = (known: { replies: EventReplies | null }): EventReplies =>
  (known.replies ??= new EventReplies());
