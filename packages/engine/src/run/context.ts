/** The parts that the whole runner shares. */
import type { AnyBindings } from "../authoring/bound-types.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import type { Topic } from "../authoring/topic.ts";
import type { RunLimits } from "../core/limits.ts";
import type { Commit } from "../core/model/change.ts";
import type { DurationMs, RunRef } from "../core/model/records.ts";
import type { Host } from "../ports/host.ts";
import type { Logger } from "../ports/logger.ts";
import type { ClaimedRun, ClaimTicket, NextDue } from "../ports/claim.ts";
import type { Store } from "../ports/store.ts";
import type { CommitResult } from "../ports/commit.ts";
import type { Budget } from "./budget.ts";
import type { EngineCallbackOptions } from "./callback-options.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { RedactError } from "./step-error.ts";
import type { Telemetry } from "./telemetry.ts";
import type { StepTransactions } from "./other-table-writes.ts";

/** A slot for a run that a commit may claim. Follow with `start` or `release`. */
export interface HeldSlot {
  readonly ticket: ClaimTicket;
  start(run: ClaimedRun, next: NextDue): void;
  release(): void;
}

/** Deletes instances that ended long enough ago. */
export interface Purging {
  /** Purges if it is time, as far as the budget allows. Never rejects. */
  purge(budget: Budget): Promise<void>;
  /** Purges beside a loop, and repeats that while there is more to delete; it takes more of the time while the loop is idle. */
  beside(budget: Budget, isIdle: () => boolean): void;
  /** Ends what `beside` began, after a purge that is under way. */
  stop(): Promise<void>;
}

/** Loads the code that deletes, and uses it. Rejects if the option `retention` is invalid, and with what the function throws. */
export type UsePurging = (act: (purging: Purging) => Promise<void> | void) => Promise<void>;

export interface RunContext {
  readonly store: Store;
  readonly host: Host;
  readonly logger: Logger;
  readonly lifecycle: Lifecycle;
  /** @default no spans */
  readonly telemetry?: Telemetry | undefined;
  /** See `toLimits` for those that few runs read. */
  readonly limits: RunLimits;
  readonly leaseMs: DurationMs;
  /** The beginning of the tokens of this process's leases, also in its next life. null: the process has no such id. */
  readonly runnerId: string | null;
  /** The name of the process that is shown with the steps it runs; 1–100 characters. */
  readonly runner: string;
  /** First part of every idempotency key; empty: none. */
  readonly namespace: string;
  /** As given; see `parseCallbacks`. null: workflows may make no callbacks. */
  readonly callbacks: EngineCallbackOptions | null;
  /** null: errors are stored and logged as they are. */
  readonly redactError: RedactError | null;
  readonly registry: ReadonlyMap<string, RegisteredWorkflow>;
  /** null: no instance is deleted by time. */
  readonly retention: UsePurging | null;
  /** The workflow of bulk jobs, which is not in the registry; null: they are not run here. */
  readonly bulk: RegisteredWorkflow | null;
  /** As given; see `findTopic`. */
  readonly topics: readonly Topic[];
  /** The workflows whose tasks are claimed. */
  readonly claimedNames: readonly string[];
  /** Bindings for workflow code. */
  readonly workflows: AnyBindings;
  /** Commits through the batcher. If the database cannot be reached, the commit is repeated while the lease may hold. */
  readonly commit: (commit: Commit) => Promise<CommitResult>;
  /** A slot for a child that a commit creates; null: none is free, or this process does not stay. */
  readonly reserveChild: () => HeldSlot | null;
  /** Tells this process that a commit has made other runs due, or may have. */
  readonly noteDue: (run: RunRef) => void;
  /** undefined: steps do not write to other tables. */
  readonly stepTransactions: StepTransactions | undefined;
}
