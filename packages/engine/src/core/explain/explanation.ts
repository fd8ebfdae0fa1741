/** Why an instance is not moving, as data and as a sentence. */
import type { DurationMs, DivergedStep, EndRequest, EpochMs } from "../model/records.ts";
import type { InstanceStatusName } from "../model/status.ts";
import type { ErrorFacts, EventCount } from "./facts.ts";

/** An instant before which nothing happens by itself; absent: none is known. */
interface Until {
  readonly until?: EpochMs;
}

/** The step that waits, by its key in the history. */
interface AtStep extends Until {
  readonly step: string;
}

/** A child that a step waits for. */
export interface AwaitedChild {
  readonly workflowName: string;
  readonly id: string;
  readonly runNumber: number;
  readonly status: InstanceStatusName;
}

/**
 * The cause, and what belongs to it. Instants are epoch milliseconds by the database's clock: `since` when it began, `until` when
 * it ends by itself.
 */
export type Reason =
  | { readonly cause: "complete" | "terminated"; readonly since?: EpochMs }
  | { readonly cause: "errored"; readonly since?: EpochMs; readonly error: ErrorFacts | null }
  | { readonly cause: "paused" }
  /** Asked for, and carried out by whoever holds the run, whose lease ends at `until` unless it is renewed. */
  | { readonly cause: "pauseRequested"; readonly until: EpochMs }
  | {
      readonly cause: "endRequested";
      readonly request: EndRequest;
      /** The lease of who holds the run; absent: nobody does, and it is due. */
      readonly until?: EpochMs;
    }
  | { readonly cause: "startsLater"; readonly until: EpochMs }
  | {
      readonly cause: "runRetry";
      readonly until: EpochMs;
      /** Runs in a row that failed. */
      readonly retryCount: number;
      readonly error: ErrorFacts | null;
    }
  | ({ readonly cause: "sleeping" } & AtStep)
  | ({
      readonly cause: "waitsForEvent";
      /** Any of them. */
      readonly types: readonly string[];
      /** Undelivered events, of these types and of others; at most 20 types. */
      readonly buffered: readonly EventCount[];
    } & AtStep)
  | ({ readonly cause: "waitsForCallback" } & AtStep)
  | ({ readonly cause: "waitsForTopic"; readonly topic: string } & AtStep)
  /** `child` is null where it is not found: it was deleted. */
  | ({ readonly cause: "waitsForChild"; readonly child: AwaitedChild | null } & AtStep)
  | ({
      readonly cause: "retryingStep";
      /** Attempts made. */
      readonly attempts: number;
      readonly maxAttempts: number;
      /** Of the last attempt. */
      readonly error: ErrorFacts | null;
    } & AtStep)
  /** Work for a runner, and none has claimed it. */
  | { readonly cause: "due"; readonly since: EpochMs; readonly dueForMs: DurationMs }
  /** The same, of a workflow that this process does not have. */
  | { readonly cause: "unregistered"; readonly since: EpochMs; readonly dueForMs: DurationMs }
  /** A runner has it, and may renew its lease. */
  | { readonly cause: "held"; readonly until: EpochMs; readonly running: readonly string[] }
  /** The process that held it is gone; the next tick takes it over. */
  | { readonly cause: "leaseEnded"; readonly since: EpochMs }
  | {
      readonly cause: "crashLoop";
      /** Leases in a row that ended without a commit. */
      readonly lostLeases: number;
      /** The lease of the process that tries it again; absent: none does. */
      readonly until?: EpochMs;
    }
  /** All that it waits for, its code does not call any more. */
  | ({ readonly cause: "diverged" } & Until)
  | ({ readonly cause: "scheduled" } & Until)
  /** It has not ended, and nothing will look at it. */
  | { readonly cause: "noTask" };

/** Every cause. */
export type Cause = Reason["cause"];

/** The sentence, and what goes with any cause. */
export interface ExplanationFrame {
  /** Plain English: what is so, and what to do next. */
  readonly sentence: string;
  readonly status: InstanceStatusName;
  readonly runNumber: number;
  /** Database time: `since` and `until` compare with it. */
  readonly now: EpochMs;
  /** Steps that wait beside the one that is told of; at most 20 are counted. */
  readonly otherWaits: number;
  /** As in the instance's status. */
  readonly diverged: readonly DivergedStep[];
  /** When the run is asked to end, unless it was asked already; null: never. */
  readonly deadlineAt: EpochMs | null;
}

/** What `explain` gives. */
export type Explanation = Reason & ExplanationFrame;
