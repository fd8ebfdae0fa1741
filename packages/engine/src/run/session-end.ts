/** How a session ends. */
import { unlessNever } from "../core/decide/park.ts";
import type { RunOutcome } from "../core/model/change.ts";
import type { EpochMs, JsonText } from "../core/model/records.ts";
import type { Committed } from "./commit-boundary.ts";
import type { RunRetry } from "./retry-run.ts";

/** How a session ended. `lost`: another runner has, or will have, the run; nothing more was written. */
export type SessionEnd =
  | {
      readonly kind: "parked" | "released";
      readonly dueAt: EpochMs | null;
      /** From the commit on; ≤ 0: due already. */
      readonly dueInMs: number | null;
    }
  | { readonly kind: "paused" | "complete" | "errored" | "terminated" | "lost" };

/** What is to be committed once author code is done. */
export type Ending =
  | { readonly kind: "complete"; readonly output: JsonText | null }
  | {
      readonly kind: "fail";
      readonly error: unknown;
      /** null: it is the end. */
      readonly retry: RunRetry | null;
    };

/** By how its run was left. */
const END_OF = {
  park: "parked",
  retryRun: "parked",
  release: "released",
  pause: "released",
  complete: "complete",
  fail: "errored",
  terminate: "terminated",
} as const;

/** @param result of the commit that had the outcome */
export function toSessionEnd(
  { kind }: Exclude<RunOutcome, { kind: "continue" }>,
  result: Committed,
): SessionEnd {
  if (result.paused) return { kind: "paused" };
  const end = END_OF[kind];
  if (end !== "parked" && end !== "released") return { kind: end };
  const dueAt = unlessNever(result.dueAt);
  return { kind: end, dueAt, dueInMs: dueAt === null ? null : dueAt - result.now };
}
