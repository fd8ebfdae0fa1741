/** What is known of an instance beside its state: when, with what, and where it stands. */
import type { ErrorFacts } from "../core/explain/facts.ts";
import type { EpochMs } from "../core/model/records.ts";
import type { StepStatus, StepType } from "../core/model/status.ts";
import type { WaitsFor } from "../core/waits-for.ts";
import type { InstanceView } from "./instance-views.ts";

/** A step that is `running` or `waiting`, and no scope. */
export interface CurrentStepView {
  readonly stepKey: string;
  readonly type: StepType;
  readonly status: StepStatus;
  readonly attempts: number;
  readonly maxAttempts: number;
  /** null: its body runs. */
  readonly waitsFor: WaitsFor | null;
  /** When the body of the last attempt started; null: none did, or it is not known. */
  readonly attemptStartedAt: EpochMs | null;
  /** The process that ran that attempt, as it calls itself; null: not known. */
  readonly runner: string | null;
  /** Of the last attempt. */
  readonly error: ErrorFacts | null;
}

/** An instance, whole. Instants are epoch milliseconds of the database. Tags, deadline and the like are in `details`. */
export interface InstanceDescription extends InstanceView {
  readonly workflowName: string;
  /** What it was created or restarted with; absent: nothing. */
  readonly params?: unknown;
  /** Database time of the look. */
  readonly now: EpochMs;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** When the present run was first claimed; null: it was not yet. */
  readonly startedAt: EpochMs | null;
  /** When the present run ended; null: it goes on. */
  readonly completedAt: EpochMs | null;
  /** When the run is due, by time alone: an instant that has passed if it is due now; null: never, or a process has it. */
  readonly nextWakeAt: EpochMs | null;
  /** End of the lease of the process that has it, unless that renews it; null: none has. */
  readonly heldUntil: EpochMs | null;
  /** Open steps of the present run that a row tells of, oldest first: at most 20. A body that began since the last commit has none. */
  readonly currentSteps: readonly CurrentStepView[];
  readonly hasMoreSteps: boolean;
}

/** What an engine can be asked. */
export interface DescribeService {
  /**
   * An instance with its params, times, next wake and current steps: what each waits for, and which process ran it last. Two trips.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INSTANCE_NOT_FOUND
   */
  describeInstance(workflowName: string, instanceId: string): Promise<InstanceDescription>;
}
