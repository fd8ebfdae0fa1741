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
  /** Events whose reply is not committed yet and that senders may wait for: the sender's own id by row id. */
  readonly #answered = new Map<string, string>();
  /** By the sender's own id of the event. */
  readonly #onReply = new Map<string, Awaited>();

  /** Resolves when a reply to the event is committed. @param eventId the sender's own id */
  whenReplied(eventId: string): Promise<void> {
    const awaited = this.#onReply.get(eventId) ?? createAwaited();
    this.#onReply.set(eventId, awaited);
    return awaited.told;
  }

  /** Notes that an event has a reply that is not committed yet. @param id of its row */
  answer(id: string, eventId: string | undefined): void {
    if (eventId !== undefined) this.#answered.set(id, eventId);
  }

  /** Notes that the reply is committed. @param id of the event's row */
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
