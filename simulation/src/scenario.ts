/** Types only: everything that happens in one simulation, as data. */
import type { Program } from "./program.ts";

/**
 * What happens to one call of the store.
 *
 * - `refused`: nothing is applied, and the caller is told that the store cannot be reached.
 * - `denied`: nothing is applied, and the caller of a commit is told that the database will never accept it; else as `refused`.
 * - `answerLost`: applied, and the caller is told that the store cannot be reached.
 * - `late`: as `refused`, but the call arrives after `ms` all the same, after later ones.
 * - `twice`: answered as usual, and arrives once more after `ms`.
 * - `slow`: takes `ms` to arrive. `slowAnswer`: its answer takes `ms`.
 * - `crashBefore`, `crashAfter`: the runner dies as it calls, or as soon as the call is applied.
 * - `crashLate`: the runner dies as it calls, and the call arrives after `ms` all the same.
 */
export type FaultKind =
  | "refused"
  | "denied"
  | "answerLost"
  | "late"
  | "twice"
  | "slow"
  | "slowAnswer"
  | "crashBefore"
  | "crashAfter"
  | "crashLate";

export interface Fault {
  /** 1-based: the call of any runner that it happens to. */
  readonly call: number;
  readonly kind: FaultKind;
  readonly ms: number;
}

/** How one process is driven and what its clock is like. */
export interface RunnerPlan {
  readonly kind: "loop" | "tick";
  /** Where its clock stands beside the true time. */
  readonly skewMs: number;
  /** How much faster its clock goes: 0.1 is a tenth. */
  readonly drift: number;
  readonly pollMs: number;
  readonly concurrency: number;
  /** Only of ticks: how long an invocation may take; null: as long as it likes. */
  readonly deadlineMs: number | null;
  /** Only of ticks: a create or an event claims its run, and a tick of the process begins with it. @default false */
  readonly stays?: boolean;
}

/** What somebody does from outside, `at` milliseconds after the start. */
export type Action = { readonly at: number } & (
  | {
      readonly kind: "event";
      readonly instance: string;
      readonly descendant?: number;
      readonly type: string;
      readonly copies: number;
      /** Its sender asks for the reply. @default false */
      readonly asks?: boolean;
    }
  | {
      readonly kind: "pause" | "resume" | "cancel" | "rollback" | "terminate" | "restart" | "retry";
      readonly instance: string;
      /** Of a restart: no step has an idempotency key that one had before. @default false */
      readonly newKeys?: boolean;
      /** Of the children that it has by then, and theirs, the one that is meant. @default the instance itself */
      readonly descendant?: number;
    }
  /** Of the steps that have settled by then, the one that the run is brought back to, retried from, or forked at. */
  | {
      readonly kind: "rewind" | "retryFrom" | "fork";
      readonly instance: string;
      readonly step: number;
    }
  | {
      readonly kind: "restartOrCreate";
      readonly instance: string;
      /** Only if it has ended. */
      readonly ifEnded: boolean;
      /** People who do so at once. */
      readonly copies: number;
    }
  /** Its deadline is moved: so long after the call; null: it has none from now on. */
  | {
      readonly kind: "deadline";
      readonly instance: string;
      readonly descendant?: number;
      readonly afterMs: number | null;
    }
  /** Somebody outside emits to a topic. */
  | { readonly kind: "emit"; readonly topic: string; readonly messageId: string | null }
  | { readonly kind: "crash"; readonly runner: number; readonly downMs: number }
  | { readonly kind: "stop"; readonly runner: number; readonly downMs: number }
  | { readonly kind: "freeze"; readonly runner: number; readonly ms: number }
  | { readonly kind: "clock"; readonly runner: number; readonly ms: number }
  /** From now on the runner has the second version of every workflow. */
  | { readonly kind: "deploy"; readonly runner: number }
);

export interface WorkflowPlan {
  readonly name: string;
  /** The code, and what replaces it during the run, if anything does. */
  readonly versions: readonly [Program] | readonly [Program, Program];
  /** A run that fails as a whole begins again. @default it does not */
  readonly runRetries?: RunRetriesPlan;
}

/** How often in a row, and how long after each failure. */
export interface RunRetriesPlan {
  readonly limit: number;
  readonly delayMs: number;
}

export interface InstancePlan {
  readonly id: string;
  readonly workflow: string;
  readonly createAt: number;
  /** It is to be over so long after its creation. @default no deadline */
  readonly deadlineMs?: number;
}

/** Somebody who reads the progress of an instance. */
export interface ReaderPlan {
  readonly instance: string;
  /** Between one page and the next, about. */
  readonly pauseMs: number;
  /** Entries of a page. */
  readonly limit: number;
  /** How long it waits for an entry. */
  readonly waitMs: number;
}

export interface Scenario {
  readonly seed: number;
  readonly leaseMs: number;
  /** Undelivered events that an instance may hold. */
  readonly eventCap: number;
  /** Workflows that are started from outside, and `child`. */
  readonly workflows: readonly WorkflowPlan[];
  readonly instances: readonly InstancePlan[];
  /** Topics that every process has. @default none */
  readonly topics?: readonly string[];
  /** Waits that one trip hands a message to. @default as many as the store says */
  readonly topicChunk?: number;
  readonly runners: readonly RunnerPlan[];
  /** @default nobody reads */
  readonly readers?: readonly ReaderPlan[];
  /** Entries that the stream of an instance keeps. @default as many as the engine says */
  readonly streamEntries?: number;
  readonly actions: readonly Action[];
  readonly faults: readonly Fault[];
  /** Of wakes: how often one is lost, and how often it comes twice. */
  readonly wakes: { readonly lost: number; readonly doubled: number };
  /** How long instances stay after their end. @default for ever */
  readonly retentionMs?: number;
  /** From here on nothing fails any more, in milliseconds after the start. */
  readonly calmAt: number;
}
