/** What the books keep of runs and leases, as records. */
import type { Commit, RunRef } from "./engine-types.ts";

/** Something that must never happen. `rule` names the section of ORACLE.md. */
export interface Violation {
  readonly rule: string;
  readonly detail: string;
}

/** One lease, from the claim that took it. */
export interface LeaseRecord {
  readonly token: string;
  readonly runId: string;
  readonly runner: number;
  /** Which life of the runner. */
  readonly life: number;
  readonly takenAt: number;
  readonly leaseMs: number;
  /** The claim found the run without a lease that had died. */
  readonly isFresh: boolean;
  /** Whether the answer with this lease has reached its runner. */
  isDelivered: boolean;
  /** An execution of author code belongs to it. */
  isUsed: boolean;
  /** Commits applied under it. */
  commitCount: number;
  firstCommitAt: number;
  /** Highest number of a commit applied under it. */
  lastCommit: number;
  /** How it ended; null: it has not. */
  end: "commit" | "takeover" | null;
  endedAt: number;
  /** A call from outside took the run away. */
  isRevoked: boolean;
  /** Steps that its runner knows to be settled: by the claim, and by its own commits. */
  readonly settled: Set<string>;
  /** Events that its claim has read, by row id. */
  readonly events: ReadonlySet<string>;
  /** Iterations that its execution begins behind, by loop. */
  readonly positions: ReadonlyMap<string, number>;
  /** Starts that a commit told of, by step. */
  readonly named: Map<string, Set<string>>;
  /** How often its run had been brought back, or retried, when it was taken. */
  readonly reopenings: number;
  /** How often its instance had been given new idempotency keys by then. */
  readonly keyNumber: number;
  /** Commits that changed nothing and prolonged nothing. */
  emptyCount: number;
  /** Somebody outside has changed the run since. */
  isPast: boolean;
  /** What its runner has heard of how the run is to end. */
  toldToEnd: EndRequest | null;
  /** The claim told of what leaves author code, before any code of the author's ran. */
  wasToldAtOnce: boolean;
}

/** How somebody outside has asked a run to end. */
export type EndRequest = "cancel" | "rollback" | "terminate" | "deadline";

/** What is known of a request to end, or of several. */
export interface AskedRun {
  /** The latest that counts; null: it was taken back. */
  request: EndRequest | null;
  /** Everything that was asked for. */
  readonly all: ReadonlySet<EndRequest>;
  /** When the first one was that counts. */
  readonly since: number;
  /** When runners heard of one. */
  readonly heardAt: number[];
}

/** What is read of an error's record. */
export interface ErrorShape {
  readonly code: string | null;
  readonly name: string;
  readonly message: string;
  readonly details: unknown;
  readonly cause?: unknown;
}

/** How the last commit of a run ended it. */
export interface RunEnd {
  /** `retry`: it failed, and the next run of its instance begins. */
  readonly kind: "complete" | "fail" | "terminate" | "retry";
  readonly output: string | null;
  readonly error: ErrorShape | null;
  readonly at: number;
  /** The deadline by then; null: none. */
  readonly deadlineAt: number | null;
  /** The next run's steps have other idempotency keys. */
  readonly hasNewKeys: boolean;
  /** How many runs before it had failed and begun again, in a row. */
  readonly retryCount: number;
  /** What the runner had heard of how the run is to end. */
  readonly told: EndRequest | null;
  readonly wasToldAtOnce: boolean;
}

export interface SettledFact {
  readonly status: string;
  readonly result: string | null;
  readonly order: number;
}

/** Types of steps that have steps of their own. */
export const SCOPE_TYPES: ReadonlySet<string> = new Set(["join", "race", "map", "loop"]);

/** A step as the commit that settled it has it. */
export type SettledWrite = StepChange["step"];

export const runIdOf = (run: RunRef): string =>
  `${run.workflowName}/${run.instanceId}/${run.runNumber}`;

/** A step's next state as a commit has it. */
export type StepChange = Extract<Commit["changes"][number], { kind: "step" }>;
