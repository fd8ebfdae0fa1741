/** How a platform keeps an invocation alive and makes ticks happen. Every wake is only a hint: the database is the truth. */
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import type { CoreService } from "./service.ts";
import type { HeldRun } from "./tick.ts";
import type { TripCounter } from "./trips.ts";

/** Why a tick is requested. It is only a hint: the database knows what is due. */
export interface WakeHint {
  readonly workflowName: string | null;
  readonly instanceId: string | null;
  readonly reason: "create" | "event" | "resume" | "retry" | "wake" | "more";
  /** How many hand-overs in a row have led to this one. Absent: a request or a due time started it. @minimum 1 */
  readonly hopCount?: number;
  /**
   * When the work of `wakeIn` is due, by the database's clock. It is the same for every process, so you can name the wake
   * after it.
   */
  readonly dueAt?: EpochMs | null;
  /** `TickOutput.thenWakeAt`, to be passed to the tick that this wake starts. */
  readonly thenWakeAt?: EpochMs | null;
  /** A run that is claimed already: `wakeNow` starts a tick of this process with it, however little time is left. See `stays`. */
  readonly held?: HeldRun;
}

/** What a platform can use of its engine. */
export interface AttachedEngine {
  readonly tick: CoreService["tick"];
  /** The workflows that it runs. Absent: unknown. */
  readonly listWorkflows?: CoreService["listWorkflows"];
  /** Like `Engine.startLoop`; absent in engines that only tick. */
  readonly startLoop?: (options?: { readonly pollMs?: DurationMs }) => {
    stop(options?: { readonly graceMs?: DurationMs }): Promise<void>;
  };
  /** Like `Engine.close`; absent in engines that only tick. */
  readonly close?: () => Promise<void>;
}

/** What a platform can do for the engine: keep an invocation alive, and make ticks happen. */
export interface Platform {
  /** `createEngine` calls it once with the new engine. @default the platform does not run the engine by itself */
  attach?(engine: AttachedEngine): void;
  /** Keeps the invocation alive for `work`, or runs it in another way. Never drops it silently. */
  defer(work: Promise<unknown>): void;
  /** Makes a tick happen at once. @throws WAKE_FAILED; the next tick finds the work anyway */
  wakeNow(hint: WakeHint): Promise<void>;
  /**
   * Makes a tick happen after a delay. Calls are coalesced, and only ever make it earlier. The delay comes from the
   * database's clock, so do not use the clock of the process. A tick calls it for what is due next (reason `wake`); so does a
   * call that creates or resumes something that starts later.
   *
   * @param delayMs 0: at once, or as soon as the platform can without going round in circles
   * @throws WAKE_FAILED
   */
  wakeIn(delayMs: DurationMs, hint: WakeHint): Promise<void>;
  /** When this invocation is killed, by the process's clock; null: never. */
  deadline(): EpochMs | null;
  /**
   * Whether the process stays up for a tick in the caller's invocation. If so, a create or an event claims its run in its own
   * trip, and `wakeNow` gets it as `WakeHint.held`. @default it does not
   */
  stays?(): boolean;
  /**
   * The name of this process in its logs, shown with the steps that it ran: at most 100 characters, the same for as long as
   * it lives. Called once. @default a random name
   */
  runner?(): string;
  /**
   * The platform passes on a response only when it is complete, so a stream ends with its first entries. @default responses
   * are passed on as they are written
   */
  readonly holdsAnswers?: true;
  /** How often an invocation may call a database elsewhere, for platforms that limit subrequests. @default no limit */
  readonly trips?: TripCounter;
}

/** A platform that runs its engine. */
export interface DrivingPlatform extends Platform {
  attach(engine: AttachedEngine): void;
}
