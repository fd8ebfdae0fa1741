/** The facts about an instance that is to be explained, as a store reads them in one trip. They contain no payloads. */
import type { DivergedStep, EndRequest, EpochMs, RunRef } from "../model/records.ts";
import type { InstanceStatusName, StepStatus, StepType, TaskKind } from "../model/status.ts";

/** The largest number of open steps and of event types that are read: the oldest steps, the most frequent types. */
export const MOST_FACTS = 20;

/** About how many children of a run are looked at, from its open steps on and from the newest back, to find those that it waits for. */
export const CHILDREN_SCANNED = 2000;

/** Characters of an error's message that are kept. */
export const MESSAGE_LENGTH = 500;

/** An error's name and message. */
export interface ErrorFacts {
  readonly name: string;
  /** At most `MESSAGE_LENGTH` characters. */
  readonly message: string;
}

export interface InstanceFacts extends RunRef {
  readonly status: InstanceStatusName;
  readonly error: ErrorFacts | null;
  readonly diverged: readonly DivergedStep[];
  readonly pauseRequested: boolean;
  readonly endRequested: EndRequest | null;
  readonly retryCount: number;
  readonly deadlineAt: EpochMs | null;
  readonly updatedAt: EpochMs;
  readonly startedAt: EpochMs | null;
  readonly completedAt: EpochMs | null;
}

/** The task row that a runner claims. */
export interface TaskFacts {
  readonly kind: TaskKind;
  readonly status: "pending" | "processing";
  readonly runAt: EpochMs;
  readonly lockedUntil: EpochMs | null;
  /** Claims in a row without a commit, including the current one. */
  readonly attempts: number;
}

/** A step that is `running` or `waiting`, without scopes. */
export interface OpenStep {
  readonly stepKey: string;
  readonly type: StepType;
  readonly status: StepStatus;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly nextRetryAt: EpochMs | null;
  readonly wakeAt: EpochMs | null;
  readonly waitEventType: string | null;
  /** When the body of the last attempt started; null: no attempt started, or unknown. */
  readonly attemptStartedAt: EpochMs | null;
  /** The process that ran it; null: unknown. */
  readonly runner: string | null;
  /** The error of the last attempt. */
  readonly error: ErrorFacts | null;
}

/** How many events of a type are undelivered; only types that anyone may send. */
export interface EventCount {
  readonly type: string;
  readonly count: number;
}

/** An instance that an open step waits for. */
export interface ChildFacts extends RunRef {
  readonly stepKey: string;
  readonly status: InstanceStatusName;
}

/** All facts. Lists have at most `MOST_FACTS` items. */
export interface ExplainFacts {
  /** Database time of the read. */
  readonly now: EpochMs;
  readonly instance: InstanceFacts;
  readonly task: TaskFacts | null;
  /** Oldest first. */
  readonly openSteps: readonly OpenStep[];
  readonly hasMoreSteps: boolean;
  /** Most frequent first. */
  readonly events: readonly EventCount[];
  readonly hasMoreTypes: boolean;
  /** Those that open steps wait for, newest first. Where there are very many children, some may not be found. */
  readonly children: readonly ChildFacts[];
}

/** Cuts an error down to what the facts contain. */
export const toErrorFacts = (error: ErrorFacts | null): ErrorFacts | null =>
  error === null
    ? null
    : { name: error.name, message: Array.from(error.message).slice(0, MESSAGE_LENGTH).join("") };
