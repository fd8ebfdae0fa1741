/** Children: workflows that a step starts and waits for. */
import type { RunOptions } from "../ports/create-inputs.ts";
import type { OnParentEnd } from "../core/model/records.ts";
import type { EventSchemas } from "./events.ts";
import type { Typed } from "./bound-types.ts";

/** A workflow: its definition, which types params and output, or its name. */
export type Invoked<TParams, TOutput> =
  | (Typed<TParams, TOutput, EventSchemas> & { readonly name: string })
  | string;

/** How to start a child. */
export interface InvokeOptions<TParams = unknown> extends RunOptions {
  readonly params?: TParams;
  /** The child's id. @default made from the run and the step */
  readonly id?: string;
  /** The step's name. @default the workflow's */
  readonly name?: string;
  /**
   * What happens to the child when its parent no longer waits for it: when the parent has ended, was restarted or cancelled,
   * or the step lost a race. `abandon`: it continues. `terminate`: it ends at once. `rollback`: it undoes what it has done.
   *
   * @default "abandon"
   */
  readonly onParentEnd?: OnParentEnd;
}

/** Params are optional if the workflow takes none. */
export type InvokeArguments<TParams> = undefined extends TParams
  ? [options?: InvokeOptions<TParams>]
  : [options: InvokeOptions<TParams> & { readonly params: TParams }];

/** Steps that run whole workflows. */
export interface InvokeSteps {
  /**
   * Starts an instance of another workflow and waits for its output, however long that takes: `const parcel = await step.invoke(ship, {
   * params: { orderId } })`. The commit that records the
   * step creates the child, and the commit that ends the child wakes this run. So a crash neither starts two children nor
   * loses one.
   *
   * @throws {WorkflowError} CHILD_FAILED, CHILD_TERMINATED — the child's own error is the `cause`;
   *   INSTANCE_ID_ALREADY_EXISTS; WORKFLOW_NOT_FOUND, INVALID_PARAMS, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE,
   *   INVALID_INSTANCE_ID, INVALID_STEP_NAME, INVALID_REQUEST, INVALID_DURATION, UNKNOWN_OPTION
   */
  invoke<TParams, TOutput>(
    workflow: Invoked<TParams, TOutput>,
    ...options: InvokeArguments<TParams>
  ): Promise<TOutput>;
}
