/** How a platform keeps an invocation alive and makes ticks happen. Every wake is only a hint: the database is the truth. */
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import type { CoreService } from "./service.ts";
import type { HeldRun } from "./tick.ts";
import type { TripCounter } from "./trips.ts";

/** Says why a tick is asked for. Only a hint: the database is the truth. */
export interface WakeHint {
  readonly workflowName: string | null;
  readonly instanceId: string | null;
  readonly reason: "create" | "event" | "resume" | "retry" | "wake" | "more";
  /** Hand-overs in a row that end in this one; absent: a request or a due time began it, not a hand-over. @minimum 1 */
  readonly hopCount?: number;
  /** Database instant of the work that `wakeIn` is for: every process tells the same, so that it can name the wake. */
  readonly dueAt?: EpochMs | null;
  /** See `TickOutput.thenWakeAt`: to be told to the tick that this wake begins. */
  readonly thenWakeAt?: EpochMs | null;
  /** A run that is claimed already: `wakeNow` has a tick of this process begin with it, whatever time is left. See `stays`. */
  readonly held?: HeldRun;
}

/** What a platform may use of the engine that is made with it. */
export interface AttachedEngine {
  readonly tick: CoreService["tick"];
  /** The workflows that it runs; absent: nobody can be told. */
  readonly listWorkflows?: CoreService["listWorkflows"];
  /** As `Engine.startLoop`; absent in engines that only tick. */
  readonly startLoop?: (options?: { readonly pollMs?: DurationMs }) => {
    stop(options?: { readonly graceMs?: DurationMs }): Promise<void>;
  };
  /** As `Engine.close`; absent in engines that only tick. */
  readonly close?: () => Promise<void>;
}

/** Tells the engine what its platform can do: keep an invocation alive, and make ticks happen. */
export interface Platform {
  /** `createEngine` calls it once with the engine that it has made. @default the platform drives no engine by itself */
  attach?(engine: AttachedEngine): void;
  /** Keep the invocation alive for `work`, or run it another way. Never drops it silently. */
  defer(work: Promise<unknown>): void;
  /** Make a tick happen at once. @throws WAKE_FAILED; the next tick finds the work anyway */
  wakeNow(hint: WakeHint): Promise<void>;
  /**
   * Make a tick happen after so long; coalesced, only ever earlier. The database's clock has said how long, and this
   * process's own clock has no say in it. A tick asks for what comes next (reason `wake`), and whoever creates or resumes what
   * is to start later, for that.
   *
   * @param delayMs 0: at once, or as soon as the platform can without going round in circles
   * @throws WAKE_FAILED
   */
  wakeIn(delayMs: DurationMs, hint: WakeHint): Promise<void>;
  /** Process-clock instant at which this invocation is killed; null: none. */
  deadline(): EpochMs | null;
  /**
   * Whether the process stays for a tick of the invocation that the caller is in. A create or an event then claims its run in
   * its own trip, and `wakeNow` is told of it by `WakeHint.held`. @default it does not
   */
  stays?(): boolean;
  /**
   * What this process is called where its log is found: at most 100 characters, the same for as long as it lives, asked for once. It is
   * shown with the steps that it ran. @default a random name
   */
  runner?(): string;
  /** Answers reach their readers when they are whole: a stream ends with its first entries. @default they reach them as they are made */
  readonly holdsAnswers?: true;
  /** How often an invocation may call on a database elsewhere, as where subrequests are limited. @default no bound */
  readonly trips?: TripCounter;
}

/** A platform that drives the engine that is made with it. */
export interface DrivingPlatform extends Platform {
  attach(engine: AttachedEngine): void;
}
