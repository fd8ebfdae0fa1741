/**
 * The types of the founding spec 000 §6, word for word but for one, and that ours fit them. The document's duration is any
 * text; ours is the text that is a duration, so that a misspelt one does not compile (decision 046).
 */
import type * as Ours from "@escapement/fragno";

export type WorkflowEvent<T> = {
  payload: Readonly<T>;
  timestamp: Date;
  instanceId: string;
};

export type WorkflowDuration = Ours.WorkflowDuration; // the document: string | number, e.g. "10 seconds" or ms

export type WorkflowStepConfig = {
  retries?: {
    limit: number; // supports Infinity
    delay: WorkflowDuration;
    backoff?: "constant" | "linear" | "exponential";
  };
  timeout?: WorkflowDuration; // per attempt
};

export interface WorkflowStep {
  do<T>(name: string, callback: () => Promise<T> | T): Promise<T>;
  do<T>(name: string, config: WorkflowStepConfig, callback: () => Promise<T> | T): Promise<T>;

  sleep(name: string, duration: WorkflowDuration): Promise<void>;
  sleepUntil(name: string, timestamp: Date | number): Promise<void>;

  waitForEvent<T = unknown>(
    name: string,
    options: { type: string; timeout?: WorkflowDuration },
  ): Promise<{ type: string; payload: Readonly<T>; timestamp: Date }>;
}

export type InstanceStatus = {
  status:
    | "queued"
    | "running"
    | "paused"
    | "errored"
    | "terminated"
    | "complete"
    | "waiting"
    | "waitingForPause"
    | "unknown";
  error?: { name: string; message: string };
  output?: unknown;
};

export interface WorkflowInstance {
  id: string;
  status(): Promise<InstanceStatus>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  terminate(): Promise<void>;
  restart(): Promise<void>;
  sendEvent(options: { type: string; payload?: unknown }): Promise<void>;
}

export interface WorkflowInstanceCreateOptions<TParams = unknown> {
  id?: string;
  params?: TParams;
}

export interface WorkflowInstanceCreateOptionsWithId<
  TParams = unknown,
> extends WorkflowInstanceCreateOptions<TParams> {
  id: string;
}

export interface Workflow<TParams = unknown> {
  create(options?: WorkflowInstanceCreateOptions<TParams>): Promise<WorkflowInstance>;
  createBatch(batch: WorkflowInstanceCreateOptionsWithId<TParams>[]): Promise<WorkflowInstance[]>;
  get(id: string): Promise<WorkflowInstance>;
}

// What §6.4 declares is a value, and ours.
declare class NonRetryableError extends Error {
  constructor(message: string, name?: string);
}

type WorkflowEntrypoint<TEnv, TParams> = Ours.WorkflowEntrypoint<TEnv, TParams>;

export type WorkflowsRegistry = Record<
  string,
  // oxlint-disable-next-line typescript/no-explicit-any -- the document's own
  { name: string; workflow: new (...args: any[]) => WorkflowEntrypoint<any, any> }
>;

type WorkflowEnqueuedHookPayload = {
  workflowName: string;
  instanceId: string;
  reason: "create" | "event" | "resume" | "retry" | "wake";
};

/** Compiles when what we give can stand where the spec's type is asked for. */
type Fits<TOurs extends TSpec, TSpec> = [TOurs, TSpec];

export type Checks = [
  Fits<Ours.WorkflowEvent<{ a: 1 }>, WorkflowEvent<{ a: 1 }>>,
  Fits<WorkflowEvent<{ a: 1 }>, Ours.WorkflowEvent<{ a: 1 }>>,
  Fits<Ours.WorkflowDuration, WorkflowDuration>,
  Fits<WorkflowStepConfig, Ours.WorkflowStepConfig>,
  Fits<Ours.WorkflowStep, WorkflowStep>,
  Fits<Ours.InstanceStatus, InstanceStatus>,
  Fits<Ours.WorkflowInstance, WorkflowInstance>,
  Fits<WorkflowInstanceCreateOptions<1>, Ours.WorkflowInstanceCreateOptions<1>>,
  Fits<WorkflowInstanceCreateOptionsWithId<1>, Ours.WorkflowInstanceCreateOptionsWithId<1>>,
  // Ours asks for params where they may not be undefined.
  Fits<Ours.Workflow<1 | undefined>, Workflow<1>>,
  Fits<WorkflowsRegistry, Ours.WorkflowsRegistry>,
  Fits<
    ConstructorParameters<typeof Ours.NonRetryableError>,
    ConstructorParameters<typeof NonRetryableError>
  >,
  Fits<Ours.NonRetryableError, NonRetryableError>,
  Fits<Ours.WorkflowEnqueued, WorkflowEnqueuedHookPayload>,
];
