/** Typed handles of workflows and instances, as on Cloudflare. @source founding spec 000 §6.3, §6.5 */
import type { InstanceStatus } from "../ports/service.ts";

export interface WorkflowInstance {
  readonly id: string;
  /** @throws INSTANCE_NOT_FOUND */
  status(): Promise<InstanceStatus>;
  /** @throws INSTANCE_NOT_FOUND, INSTANCE_TERMINAL */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** @throws INSTANCE_NOT_FOUND, INSTANCE_TERMINAL */
  terminate(): Promise<void>;
  /** Starts a new run under the same id; earlier runs are kept. */
  restart(): Promise<void>;
  /** @throws INSTANCE_NOT_FOUND, INSTANCE_TERMINAL, INVALID_EVENT_TYPE, INVALID_EVENT_PAYLOAD */
  sendEvent(options: { readonly type: string; readonly payload?: unknown }): Promise<void>;
}

export interface WorkflowInstanceCreateOptions<TParams = unknown> {
  /** 1–100 letters, digits, `_`, `-`. @default a random UUID */
  readonly id?: string;
  readonly params?: TParams;
  /** What to do when the id is taken. @default "error" */
  readonly onExisting?: "error" | "return";
}

export interface WorkflowInstanceCreateOptionsWithId<
  TParams = unknown,
> extends WorkflowInstanceCreateOptions<TParams> {
  readonly id: string;
}

export interface Workflow<TParams = unknown> {
  /** @throws INSTANCE_ID_ALREADY_EXISTS, INVALID_INSTANCE_ID, INVALID_PARAMS, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE */
  create(options?: WorkflowInstanceCreateOptions<TParams>): Promise<WorkflowInstance>;
  /** At most 100. Existing ids are skipped and not in the answer. @throws as create, and BATCH_TOO_LARGE */
  createBatch(
    batch: readonly Omit<WorkflowInstanceCreateOptionsWithId<TParams>, "onExisting">[],
  ): Promise<WorkflowInstance[]>;
  /** @throws INSTANCE_NOT_FOUND */
  get(id: string): Promise<WorkflowInstance>;
}
