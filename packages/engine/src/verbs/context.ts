/** The parts that the verbs of an engine share. */
import { toLimits } from "../core/default-limits.ts";
import type { Limits } from "../core/limits.ts";
import type { DurationMs } from "../core/model/records.ts";
import type { RunContext } from "../run/context.ts";
import type { WakeHint } from "../ports/platform.ts";
import type { Slot } from "../process/prefetch.ts";
import type { Slots } from "../process/slots.ts";

/** @param reason of the wake, if a tick begins with the run */
export type ReserveSlot = (reason: "create" | "event") => Slot | null;

/** What an engine is made of. */
export interface EngineContext extends RunContext {
  readonly slots: Slots;
  /** Calls are part of a transaction that is still open. @default false */
  readonly isWithin?: boolean;
  /** Reserves a slot for a run that a call may claim here; null: none is free, or the process has no loop and does not stay. */
  readonly reserveSlot: ReserveSlot;
  /**
   * Tells loop and platform that work is due, now or after a delay. Never throws: a lost wake costs only time.
   *
   * @param delayMs by the database's clock @default due now
   */
  readonly wake: (hint: WakeHint, delayMs?: DurationMs) => void;
}

/** The same with every limit, for verbs. */
export interface HostContext extends EngineContext {
  readonly limits: Limits;
}

export const toHostContext = (context: EngineContext): HostContext => ({
  ...context,
  limits: toLimits(context.limits),
});
