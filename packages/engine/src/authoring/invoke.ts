/** Children: workflows that a step starts and waits for. */
import type { RunOptions } from "../ports/create-inputs.ts";
import type { OnParentEnd } from "../core/model/records.ts";
import type { EventSchemas } from "./events.ts";
import type { Typed } from "./bound-types.ts";

/** A workflow by its definition, which types params and output; or by its name. */
export type Invoked<TParams, TOutput> =
  | (Typed<TParams, TOutput, EventSchemas> & { readonly name: string })
  | string;

/** How a child is started. */
export interface InvokeOptions<TParams = unknown> extends RunOptions {
  readonly params?: TParams;
  /** The child's id. @default one that follows from the run and the step */
  readonly id?: string;
  /** The step's name. @default the workflow's */
  readonly name?: string;
  /**
   * What becomes of the child when its parent waits for it no more: the parent ended or was restarted, was cancelled, or the
   * step lost a race. `abandon`: it goes on; `terminate`: it ends, whatever it does; `rollback`: it undoes what it has done.
   *
   * @default "abandon"
   */
  readonly onParentEnd?: OnParentEnd;
}

/** Params may be left out where the workflow takes none. */
export type InvokeArguments<TParams> = undefined extends TParams
  ? [options?: InvokeOptions<TParams>]
  : [options: InvokeOptions<TParams> & { readonly params: TParams }];

/** Steps that are whole workflows. */
export interface InvokeSteps {
  /**
   * Starts an instance of another workflow and waits for its output, for as long as it takes. It is created with the commit
   * that records the step, and its end wakes this run in the commit that ends it: a crash neither starts two nor loses one.
   *
   * @throws {WorkflowError} CHILD_FAILED, CHILD_TERMINATED — the child's own error is the `cause`; INSTANCE_ID_ALREADY_EXISTS;
   *   WORKFLOW_NOT_FOUND, INVALID_PARAMS, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE, INVALID_INSTANCE_ID, INVALID_STEP_NAME,
   *   INVALID_REQUEST, INVALID_DURATION, UNKNOWN_OPTION
   */
  invoke<TParams, TOutput>(
    workflow: Invoked<TParams, TOutput>,
    ...options: InvokeArguments<TParams>
  ): Promise<TOutput>;
}
