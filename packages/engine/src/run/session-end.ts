/** How a session ends. */
import type { EpochMs, JsonText } from "../core/model/records.ts";

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
  | { readonly kind: "fail"; readonly error: unknown };

/** By how its run ended. */
export const END_OF = { complete: "complete", fail: "errored", terminate: "terminated" } as const;
