/** How a session ends. */
import { unlessNever } from "../core/decide/park.ts";
import type { EndOutcome, RunOutcome, RunRetried } from "../core/model/change.ts";
import type { EpochMs, JsonText } from "../core/model/records.ts";
import type { CommitResult } from "../ports/commit.ts";

/** How a session ended. `lost`: another runner has, or will have, the run; nothing more was written. */
export type SessionEnd =
  | {
      readonly kind: "parked" | "released";
      readonly dueAt: EpochMs | null;
      /** Counted from the commit; ≤ 0: due already. */
      readonly dueInMs: number | null;
    }
  | { readonly kind: "complete" | "errored" | "terminated"; readonly outcome: EndOutcome }
  | { readonly kind: "paused" | "lost" };

/** When the next run is due, and which keys it has. */
export type RunRetry = Pick<RunRetried, "due" | "keys">;

/** What to commit when author code is done. */
export type Ending =
  | { readonly kind: "complete"; readonly output: JsonText | null }
  | {
      readonly kind: "fail";
      readonly error: unknown;
      /** null: the run does not begin again. */
      readonly retry: RunRetry | null;
    };

/** The session's end by the outcome of an ended run. */
const END_OF = { complete: "complete", fail: "errored", terminate: "terminated" } as const;

/** The session's end by the outcome of a run that goes on. */
const LEFT = {
  park: "parked",
  retryRun: "parked",
  release: "released",
  pause: "released",
} as const;

/** Whether an outcome ends the run for good. */
export const isEnd = (outcome: RunOutcome): outcome is EndOutcome =>
  outcome.kind === "complete" || outcome.kind === "fail" || outcome.kind === "terminate";

/** @param result of the commit that had the outcome */
export function toSessionEnd(
  outcome: Exclude<RunOutcome, { kind: "continue" }>,
  result: Extract<CommitResult, { kind: "committed" }>,
): SessionEnd {
  if (result.paused) return { kind: "paused" };
  if (isEnd(outcome)) return { kind: END_OF[outcome.kind], outcome };
  const dueAt = unlessNever(result.dueAt);
  return { kind: LEFT[outcome.kind], dueAt, dueInMs: dueAt === null ? null : dueAt - result.now };
}
