/** What becomes of the use of a callback's token. */

/** What is there when the token is used. */
export interface CallbackState {
  /** The event that a use of the token has stored; null: none has. */
  readonly event: {
    /** By this very use, in an earlier try whose answer was lost. */
    readonly isMine: boolean;
    /** The wait has it. */
    readonly isDelivered: boolean;
  } | null;
  /** The run is the present one and goes on, and the wait has no row yet or is open before its deadline. */
  readonly isOpen: boolean;
  /** A scope around the wait has ended, or is past its iteration: what has not reached the wait will not. */
  readonly isLeft: boolean;
}

/** `stored`: it counts. `open`: it is to be stored. */
export type CallbackVerdict = "stored" | "open" | "callbackUsed" | "callbackLate";

/** The first use counts. Nobody is told that a use came too late which the wait has had. */
export function decideCallback({ event, isOpen, isLeft }: CallbackState): CallbackVerdict {
  if (event !== null && (event.isDelivered || !isLeft))
    return event.isMine ? "stored" : "callbackUsed";
  return isOpen && !isLeft ? "open" : "callbackLate";
}
