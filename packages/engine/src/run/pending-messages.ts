/** Topic messages that a session has not committed yet. */
import type { Change, MessageEmitted } from "../core/model/change.ts";

/** With this many messages, a session commits without waiting for more. */
const DUE_MESSAGES = 100;
/** The same, in characters. */
const DUE_SIZE = 1_048_576;

export class PendingMessages {
  #messages: MessageEmitted[] = [];
  /** Characters. */
  #size = 0;

  /** They are to be committed now. */
  get isDue(): boolean {
    return this.#messages.length >= DUE_MESSAGES || this.#size >= DUE_SIZE;
  }

  /** Adds a message, which is committed with the step that emits it. */
  add(emitted: MessageEmitted): void {
    this.#messages.push(emitted);
    this.#size += emitted.message.length;
  }

  /** Takes what the next commit carries. */
  take(): readonly MessageEmitted[] {
    const taken = this.#messages;
    this.#messages = [];
    this.#size = 0;
    return taken;
  }

  /** Takes back what was not committed after all. */
  restore(changes: readonly Change[]): void {
    for (const change of changes) if (change.kind === "messageEmitted") this.add(change);
  }
}
