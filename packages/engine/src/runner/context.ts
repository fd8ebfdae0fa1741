/** What every part of the runner shares. */
import type { AnyBindings } from "../authoring/define-workflow.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import type { Limits } from "../core/limits.ts";
import type { Commit } from "../core/model/change.ts";
import type { DurationMs } from "../core/model/records.ts";
import type { Host } from "../ports/host.ts";
import type { Logger } from "../ports/logger.ts";
import type { CommitResult, Store } from "../ports/store.ts";
import type { StepTransactions } from "./step-transactions.ts";

export interface RunnerContext {
  readonly store: Store;
  readonly host: Host;
  readonly logger: Logger;
  readonly limits: Limits;
  readonly leaseMs: DurationMs;
  readonly registry: ReadonlyMap<string, RegisteredWorkflow>;
  /** Bindings for workflow code. */
  readonly workflows: AnyBindings;
  /** Commits through a shared lane; a database that cannot be reached is tried again while the lease may hold. */
  readonly commit: (commit: Commit) => Promise<CommitResult>;
  /** undefined: steps have no foreign writes. */
  readonly stepTransactions: StepTransactions | undefined;
}
