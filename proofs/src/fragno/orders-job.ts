/** What a process of the orders' app is asked to do, and what it writes down. */
import { readLines } from "../worker/line-log.ts";

/** Runs hooks and workflows of the orders until told to end. */
export interface OrdersJob {
  readonly kind: "orders";
  readonly url: string;
  readonly logPath: string;
  /** Which of the workflows the orders run. */
  readonly workflow: "fulfil" | "patient";
  /** Of hooks and of runs. */
  readonly leaseMs: number;
  /** How long each hook takes. */
  readonly hookMs: number;
  /** Once so many hooks have begun in all, those that begin in this process never end. @default all end */
  readonly lastingHooks?: number;
  /** How long the body of each step takes. */
  readonly bodyMs: number;
}

/** What hooks and steps did. `enqueued`: the workflows' own hook; `ready`: a process drives from now on. */
export interface OrderEffect {
  readonly kind: "hook.start" | "hook.end" | "enqueued" | "step.start" | "ready";
  /** Empty on `ready`. */
  readonly orderId: string;
  /** Idempotency key of the hook; key of the step; empty on `ready`. */
  readonly key: string;
  readonly pid: number;
  /** Database time. */
  readonly atMs: number;
}

/** All effects so far, in order. */
export const readOrderEffects = (path: string): readonly OrderEffect[] =>
  readLines(path) as readonly OrderEffect[];
