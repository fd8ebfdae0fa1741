/** A promise that was not kept, with what shows it. */
export interface Violation {
  /** Which promise: a stable word. */
  readonly promise:
    | "completed-steps-stay"
    | "at-most-once"
    | "attempts-bounded"
    | "failures-are-planned"
    | "order-stays"
    | "results-are-those-of-bodies"
    | "events-once"
    | "sleeps-are-kept"
    | "instances-end"
    | "nothing-is-left"
    | "processes-live"
    | "processes-end"
    | "logs-are-bounded";
  readonly id: string;
  readonly evidence: string;
}
