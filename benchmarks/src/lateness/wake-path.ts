/** One way in which a sleeping instance is woken: an adapter's own code, and a model of the platform around it. */
import type { Logger, WorkflowDefinition } from "@escapement/engine";
import type { createMemoryStore } from "@escapement/engine/store/memory";
import type { VirtualTime } from "./virtual-time.ts";

export interface World {
  readonly time: VirtualTime;
  readonly store: ReturnType<typeof createMemoryStore>;
  /** Uniform, 0 ≤ n < `belowMs`. */
  random(belowMs: number): number;
  /** What the engine runs. */
  readonly workflows: { readonly WORK: WorkflowDefinition };
  /** The platform has begun an invocation. */
  invoked(by: Cause): void;
}

/** `wake`: a message, an alarm or a call of the application by itself. */
export type Cause = "request" | "wake" | "schedule";

export interface WakePath {
  /** Key in the JSON output. */
  readonly name: string;
  readonly says: string;
  /** What of the platform is modelled, and whence; null: nothing is. */
  readonly model: string | null;
  /** Deploys it, idle; returns how a request reaches it. The answer may be awaited. */
  open(world: World): Deployed;
}

export type Deployed = (request: Request) => Promise<unknown>;

const MINUTE_MS = 60_000;

/** Calls back in each minute, `lateMs()` after its first instant. */
export function eachMinute(time: VirtualTime, lateMs: () => number, run: () => void): void {
  every(time, { periodMs: MINUTE_MS, lateMs, run });
}

/** Calls back in each period of the clock, so much after it begins; the next period does not wait for the last. */
export function every(
  time: VirtualTime,
  { periodMs, lateMs, run }: { periodMs: number; lateMs: () => number; run: () => void },
): void {
  const startAt = (Math.floor(time.now() / periodMs) + 1) * periodMs;
  time.at(startAt, () => {
    time.at(startAt + lateMs(), run);
    every(time, { periodMs, lateMs, run });
  });
}

export const SIGNING_KEYS = ["a-signing-key-of-more-than-24-bytes"];

export const QUIET: Logger = {
  log: (level, event, fields) => {
    if (level === "error") throw new TypeError(`${event}: ${JSON.stringify(fields)}`);
  },
};

/** Makes the process's `fetch` reach only this. */
export function serveFetch(answer: (request: Request) => Promise<Response>): void {
  globalThis.fetch = (input, init) => answer(new Request(input, init));
}
