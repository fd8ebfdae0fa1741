/** Typed handles of workflows and instances, as on Cloudflare. @source founding spec 000 §6.3, §6.5 */
import type {
  ControlOptions,
  CreateBatchOptions,
  InstanceStatus,
  SendEventInput,
} from "../ports/service.ts";

export interface WorkflowInstance {
  readonly id: string;
  /** @throws INSTANCE_NOT_FOUND */
  status(): Promise<InstanceStatus>;
  /** @throws INSTANCE_NOT_FOUND, INSTANCE_TERMINAL, RUN_NUMBER_MISMATCH */
  pause(options?: ControlOptions): Promise<void>;
  /** Also takes back a pause that was not yet carried out. @throws INSTANCE_NOT_FOUND, RUN_NUMBER_MISMATCH */
  resume(options?: ControlOptions): Promise<void>;
  /** @throws INSTANCE_NOT_FOUND, INSTANCE_TERMINAL, RUN_NUMBER_MISMATCH */
  terminate(options?: ControlOptions): Promise<void>;
  /** Starts a new run under the same id; earlier runs are kept. @throws INSTANCE_NOT_FOUND, RUN_NUMBER_MISMATCH */
  restart(options?: ControlOptions): Promise<void>;
  /**
   * @throws INSTANCE_NOT_FOUND, INSTANCE_TERMINAL, INVALID_EVENT_TYPE, INVALID_EVENT_PAYLOAD, EVENT_ID_CONFLICT, EVENT_LIMIT
   */
  sendEvent(event: SendEventInput): Promise<void>;
}

export interface WorkflowInstanceCreateOptions<TParams = unknown> {
  /** 1–100 letters, digits, `_`, `-`. @default a random UUID */
  readonly id?: string;
  readonly params?: TParams;
  /** What to do when the id is taken. @default "error" */
  readonly onExisting?: "error" | "return";
  /** The same key again, with the same params, is the same create; without an id, the id is made of it. @default none */
  readonly idempotencyKey?: string;
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
    batch: readonly Omit<
      WorkflowInstanceCreateOptionsWithId<TParams>,
      "onExisting" | "idempotencyKey"
    >[],
    options?: CreateBatchOptions,
  ): Promise<WorkflowInstance[]>;
  /** @throws INSTANCE_NOT_FOUND */
  get(id: string): Promise<WorkflowInstance>;
}
