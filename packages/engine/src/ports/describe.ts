/** A full description of an instance: its state, times, params, and current steps. */
import type { OpenStep } from "../core/explain/facts.ts";
import type { EpochMs } from "../core/model/records.ts";
import type { WaitsFor } from "../core/waits-for.ts";
import type { InstanceView } from "./instance-views.ts";

/** A step that is `running` or `waiting`, without scopes. */
export interface CurrentStepView extends Omit<
  OpenStep,
  "nextRetryAt" | "wakeAt" | "waitEventType"
> {
  /** What it waits for; null: its body runs. */
  readonly waitsFor: WaitsFor | null;
}

/**
 * A complete description of an instance. Points in time are epoch milliseconds of the database's clock. `details` has tags,
 * deadline and the like.
 */
export interface InstanceDescription extends InstanceView {
  readonly workflowName: string;
  /** The params of the current run. Absent: none. */
  readonly params?: unknown;
  /** The database's time when it was read. */
  readonly now: EpochMs;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** When the current run was first claimed; null: not yet. */
  readonly startedAt: EpochMs | null;
  /** When the current run ended; null: it has not. */
  readonly completedAt: EpochMs | null;
  /** When the run is due by time, in the past if it is due now; null: never, or a process holds it. */
  readonly nextWakeAt: EpochMs | null;
  /** When the lease of the process that holds it ends, unless it is renewed; null: no process holds it. */
  readonly heldUntil: EpochMs | null;
  /**
   * Open steps of the current run that have a row, oldest first: at most 20. A body that began since the last commit has
   * none.
   */
  readonly currentSteps: readonly CurrentStepView[];
  readonly hasMoreSteps: boolean;
}

/** Describes instances. */
export interface DescribeService {
  /**
   * Describes an instance: params, times, next wake and current steps, what each waits for, and which process ran it last.
   * Two trips.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INSTANCE_NOT_FOUND
   */
  describeInstance(workflowName: string, instanceId: string): Promise<InstanceDescription>;
}
