/** Ticks: what one is told, and what it tells. */
import type { WakesFor } from "../core/decide/wake.ts";
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import type { ClaimedRun, NextDue } from "./claim.ts";

/** Bounds of one tick. */
export interface TickInput {
  /** Process-clock instant at which this invocation is killed; null: none. @default null */
  readonly deadline?: EpochMs | null;
  /** Instances to advance at most. @default 100 @minimum 1 */
  readonly maxInstances?: number;
  /** Step bodies to start at most. @default Infinity @minimum 1 */
  readonly maxSteps?: number;
  /**
   * How many trips to the database the invocation may still make, whenever that is asked. Some are kept for the runs in
   * hand: they are handed over before none is left, and bodies in flight end by themselves. @default the platform's
   */
  readonly tripsLeft?: (() => number) | undefined;
  /** With nothing to do, wait this long at most for the next due time instead of ending. @default 5000 with a deadline, else 0 */
  readonly lingerMs?: number;
  /** Process-clock instant until which it waits in place of `lingerMs`. @default none */
  readonly lingerEndsAt?: EpochMs | null;
  /** What it waits for, and what `nextWakeInMs` counts. @default "any" */
  readonly wakesFor?: WakesFor;
  /** `TickOutput.thenWakeAt`, as told by the wake that began it. @default null */
  readonly thenWakeAt?: EpochMs | null;
  /**
   * Has somebody woken while the tick goes on, for what comes due and it cannot take: its slots, its time or its `maxInstances`
   * are used up. It never rejects. @default nobody: what comes due waits for the end of the tick
   */
  readonly passOn?: (next: NextWakeTold) => Promise<void>;
  /** Begins with these, and claims nothing before it knows of more. @default it begins with a claim */
  readonly held?: readonly HeldRun[];
  /** When aborted, it claims nothing more and starts no body; bodies in flight end by themselves. @default never */
  readonly signal?: AbortSignal | undefined;
}

/** A run that a call of this process has claimed for a tick. */
export interface HeldRun {
  readonly claimed: ClaimedRun;
  /** What the call saw, and when it was sent and answered by the process's monotonic clock. */
  readonly next: NextDue;
  readonly sentMs: number;
  readonly answeredMs: number;
  /** By the same clock. */
  readonly leaseEndsAtMs: number;
}

export type NextWakeTold = Pick<TickOutput, "nextWakeInMs" | "nextWakeAt" | "thenWakeAt">;

/** Tells what a tick did, and when the next work is due. */
export interface TickOutput {
  /** Instances advanced. */
  readonly processed: number;
  /** Step bodies started. */
  readonly steps: number;
  /** Work is due that this tick left. */
  readonly moreDue: boolean;
  /** How long after the end of this tick somebody must be woken, see `TickInput.wakesFor`, in milliseconds of the database's clock; null: nobody. */
  readonly nextWakeInMs: DurationMs | null;
  /** The same as a database instant. Every process tells the same, so that it can name the wake. */
  readonly nextWakeAt: EpochMs | null;
  /** Database instant of the wake after that which is asked for already: to be told to who is woken; null: none that is known of. */
  readonly thenWakeAt: EpochMs | null;
  /** How long after it nothing is due and no lease ends, in milliseconds; 0: work is due; null: for ever. */
  readonly quietMs: DurationMs | null;
}
