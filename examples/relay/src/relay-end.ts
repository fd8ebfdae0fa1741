/** What a relay has come to, leg by leg. */
import type { RanBody } from "./runner-settings.ts";

/** What one platform did. Times in milliseconds from the beginning of the relay. */
export interface Leg {
  readonly hop: string;
  readonly leg: string;
  readonly note: string | null;
  readonly pid: number;
  readonly startedAtMs: number;
  readonly readyAtMs: number;
  readonly doneAtMs: number;
  readonly killedAtMs: number;
  /** As the ledger has it; null: it has none of this leg. */
  readonly ran: RanBody | null;
}

export interface SkippedHop {
  readonly hop: string;
  readonly reason: string;
}

export interface RelayEnd {
  readonly legs: readonly Leg[];
  readonly skipped: readonly SkippedHop[];
  readonly bodies: readonly RanBody[];
  readonly status: string;
  readonly output: unknown;
  /** Empty: each platform ran its leg once, and the instance is complete. */
  readonly problems: readonly string[];
}
