/** What the parts of an engine share. */
import type { DurationMs } from "../core/model/records.ts";
import type { RunContext } from "../run/context.ts";
import type { WakeHint } from "../ports/platform.ts";
import type { Slot } from "../process/prefetch.ts";
import type { Slots } from "../process/slots.ts";

/** @param reason of the wake, should a tick begin with the run */
export type ReserveSlot = (reason: "create" | "event") => Slot | null;

export interface HostContext extends RunContext {
  readonly slots: Slots;
  /** Calls are part of a transaction that is still open. @default false */
  readonly isWithin?: boolean;
  /** A slot for a run that a call may claim here; null: none, or neither a loop runs nor does the process stay. */
  readonly reserveSlot: ReserveSlot;
  /**
   * Tells loop and platform that work came due, or comes due after so long. Never throws: a lost wake costs only time.
   *
   * @param delayMs by the database's clock @default it is due
   */
  readonly wake: (hint: WakeHint, delayMs?: DurationMs) => void;
}
