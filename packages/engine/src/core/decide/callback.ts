/** Decides what the use of a callback's token does. */

/** The state that a use of the token finds. */
export interface CallbackState {
  /** The event that an earlier use of the token stored; null: none. */
  readonly event: {
    /** It was stored by this same use, in an earlier try whose answer was lost. */
    readonly isMine: boolean;
    /** It was delivered to the wait. */
    readonly isDelivered: boolean;
  } | null;
  /** The run is the current one and has not ended, and the wait has no row yet or is open and before its deadline. */
  readonly isOpen: boolean;
  /** A scope around the wait has ended or is past its iteration, so nothing can reach the wait any more. */
  readonly isLeft: boolean;
}

/** `stored`: the use counts. `open`: the use counts once it is stored. */
export type CallbackVerdict = "stored" | "open" | "callbackUsed" | "callbackLate";

/** The first use counts. If its event was delivered, a repeat of it is not told that it was too late. */
export function decideCallback({ event, isOpen, isLeft }: CallbackState): CallbackVerdict {
  if (event !== null && (event.isDelivered || !isLeft))
    return event.isMine ? "stored" : "callbackUsed";
  return isOpen && !isLeft ? "open" : "callbackLate";
}
