/** Why an instance is not moving, as data and as a sentence. */
import type { DurationMs, DivergedStep, EndRequest, EpochMs } from "../model/records.ts";
import type { InstanceStatusName } from "../model/status.ts";
import type { ErrorFacts, EventCount } from "./facts.ts";

/** The instant before which nothing happens by itself; absent: unknown. */
interface Until {
  readonly until?: EpochMs;
}

/** The waiting step, by its key in the history. */
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
 * The cause and its data. Instants are epoch milliseconds by the database's clock: `since` when it began, `until` when it ends by
 * itself.
 */
export type Reason =
  | { readonly cause: "complete" | "terminated"; readonly since?: EpochMs }
  | { readonly cause: "errored"; readonly since?: EpochMs; readonly error: ErrorFacts | null }
  | { readonly cause: "paused" }
  /** A pause was requested. The process that holds the run carries it out; its lease ends at `until` unless it is renewed. */
  | { readonly cause: "pauseRequested"; readonly until: EpochMs }
  | {
      readonly cause: "endRequested";
      readonly request: EndRequest;
      /** When the lease on the run ends; absent: no process holds the run, and it is due. */
      readonly until?: EpochMs;
    }
  | { readonly cause: "startsLater"; readonly until: EpochMs }
  | {
      readonly cause: "runRetry";
      readonly until: EpochMs;
      /** How many runs in a row have failed. */
      readonly retryCount: number;
      readonly error: ErrorFacts | null;
    }
  | ({ readonly cause: "sleeping" } & AtStep)
  | ({
      readonly cause: "waitsForEvent";
      /** The wait accepts any of them. */
      readonly types: readonly string[];
      /** Undelivered events, of these types and of others; at most 20 types. */
      readonly buffered: readonly EventCount[];
    } & AtStep)
  | ({ readonly cause: "waitsForCallback" } & AtStep)
  | ({ readonly cause: "waitsForTopic"; readonly topic: string } & AtStep)
  /** `child` is null if it is not found, because it was deleted. */
  | ({ readonly cause: "waitsForChild"; readonly child: AwaitedChild | null } & AtStep)
  | ({
      readonly cause: "retryingStep";
      /** How many attempts were made. */
      readonly attempts: number;
      readonly maxAttempts: number;
      /** The error of the last attempt. */
      readonly error: ErrorFacts | null;
    } & AtStep)
  /** The run is due, and no runner has claimed it. */
  | { readonly cause: "due"; readonly since: EpochMs; readonly dueForMs: DurationMs }
  /** The same, for a workflow that this process does not have. */
  | { readonly cause: "unregistered"; readonly since: EpochMs; readonly dueForMs: DurationMs }
  /** A runner holds the run, and may renew its lease. */
  | { readonly cause: "held"; readonly until: EpochMs; readonly running: readonly string[] }
  /** The process that held the run is gone; the next tick takes the run over. */
  | { readonly cause: "leaseEnded"; readonly since: EpochMs }
  | {
      readonly cause: "crashLoop";
      /** How many leases in a row ended without a commit. */
      readonly lostLeases: number;
      /** When the lease of the process that tries again ends; absent: no process does. */
      readonly until?: EpochMs;
    }
  /** The code no longer calls any of the steps that the run waits for. */
  | ({ readonly cause: "diverged" } & Until)
  | ({ readonly cause: "scheduled" } & Until)
  /** The instance has not ended, and nothing will advance it. */
  | { readonly cause: "noTask" };

/** Every cause. */
export type Cause = Reason["cause"];

/** The sentence, and the data that every cause has. */
export interface ExplanationFrame {
  /** Plain English: the state, and what to do next. */
  readonly sentence: string;
  readonly status: InstanceStatusName;
  readonly runNumber: number;
  /** Database time; compare `since` and `until` with it. */
  readonly now: EpochMs;
  /** How many other steps wait; at most 20 are counted. */
  readonly otherWaits: number;
  /** The same as in the instance's status. */
  readonly diverged: readonly DivergedStep[];
  /** When the run is asked to end, unless it was asked already; null: never. */
  readonly deadlineAt: EpochMs | null;
}

/** The result of `explain`. */
export type Explanation = Reason & ExplanationFrame;
