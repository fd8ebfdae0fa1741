/** Ticks: their input and their output. */
import type { WakesFor } from "../core/decide/wake.ts";
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import type { ClaimedRun, NextDue } from "./claim.ts";

/** Limits of one tick. */
export interface TickInput {
  /** When this invocation is killed, by the process's clock; null: never. @default null */
  readonly deadline?: EpochMs | null;
  /** The most instances to advance. @default 100 @minimum 1 */
  readonly maxInstances?: number;
  /** The most step bodies to start. @default Infinity @minimum 1 */
  readonly maxSteps?: number;
  /**
   * How many trips to the database the invocation may still make; called whenever the tick has to know. Some are kept for
   * runs that are being advanced: they are handed over before none is left, and bodies in flight end by themselves. @default
   * the platform's
   */
  readonly tripsLeft?: (() => number) | undefined;
  /** How long to wait for what is due next if there is nothing to do, instead of ending. @default 5000 with a deadline, else 0 */
  readonly lingerMs?: number;
  /** Until when to wait, by the process's clock, instead of `lingerMs`. @default none */
  readonly lingerEndsAt?: EpochMs | null;
  /** What to wait for, and what `nextWakeInMs` counts. @default "any" */
  readonly wakesFor?: WakesFor;
  /** `TickOutput.thenWakeAt`, as passed by the wake that started the tick. @default null */
  readonly thenWakeAt?: EpochMs | null;
  /**
   * Wakes another process while this tick runs, for due work that it cannot take because its slots, its time or its
   * `maxInstances` are used up. It never rejects. @default what comes due waits for the end of the tick
   */
  readonly passOn?: (next: NextWakeOutput) => Promise<void>;
  /** Begin with these runs, and claim only when more is known to be due. @default begin with a claim */
  readonly held?: readonly HeldRun[];
  /** When aborted, the tick claims nothing more and starts no body; bodies in flight end by themselves. @default never */
  readonly signal?: AbortSignal | undefined;
}

/** A run that a call in this process has claimed for a tick. */
export interface HeldRun {
  readonly claimed: ClaimedRun;
  /** What the call saw, and when it was sent and answered, by the process's monotonic clock. */
  readonly next: NextDue;
  readonly sentMs: number;
  readonly answeredMs: number;
  /** By the same clock. */
  readonly leaseEndsAtMs: number;
}

export type NextWakeOutput = Pick<TickOutput, "nextWakeInMs" | "nextWakeAt" | "thenWakeAt">;

/** What a tick did, and when the next work is due. */
export interface TickOutput {
  /** Instances advanced. */
  readonly processed: number;
  /** Step bodies started. */
  readonly steps: number;
  /** There is due work that this tick left. */
  readonly moreDue: boolean;
  /**
   * How long after the end of this tick a wake is needed (see `TickInput.wakesFor`), in milliseconds of the database's clock;
   * null: none is.
   */
  readonly nextWakeInMs: DurationMs | null;
  /** The same as a point in time by the database's clock. It is the same for every process, so you can name the wake after it. */
  readonly nextWakeAt: EpochMs | null;
  /**
   * When the wake after the one that has been requested is due, by the database's clock; pass it to the process that is
   * woken. null: none is known.
   */
  readonly thenWakeAt: EpochMs | null;
  /** For how long after the tick nothing is due and no lease ends, in milliseconds; 0: work is due; null: for ever. */
  readonly quietMs: DurationMs | null;
}
