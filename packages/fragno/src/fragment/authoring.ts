/** Declares workflows whose steps write into fragments' tables. Workflows declared by `@escapement/engine` run here as well. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type {
  AnyRegistry,
  EventSchemas,
  InputOf,
  NoEvents,
  OutputOf,
  ParamsOf,
  ResultOf,
  WorkflowOptions,
} from "@escapement/engine/internal";
import {
  defineWorkflow as definePlainWorkflow,
  type WorkflowContext,
  type WorkflowDefinition,
  WorkflowEntrypoint as PlainWorkflowEntrypoint,
  type WorkflowEvent,
} from "@escapement/engine";
import type { TxWorkflowStep } from "./step-tx.ts";

/** Declares a workflow as an async function. @source founding document 001, steps 1 and 5 */
export function defineWorkflow<
  TSchema extends StandardSchemaV1 | undefined = undefined,
  TOutput extends StandardSchemaV1 | undefined = undefined,
  TEvents extends EventSchemas = NoEvents,
  TRegistry extends object = AnyRegistry,
>(
  options: WorkflowOptions<TSchema, TOutput, TEvents>,
  run: (
    event: WorkflowEvent<ParamsOf<TSchema>>,
    step: TxWorkflowStep<TEvents>,
    context: WorkflowContext<TRegistry>,
  ) => Promise<ResultOf<TOutput>> | ResultOf<TOutput>,
): WorkflowDefinition<InputOf<TSchema>, OutputOf<TOutput>, TEvents> {
  return definePlainWorkflow(options, run as never);
}

/** Base class of workflows that are written as classes. @source founding spec 000 §6.1, §6.5 */
export abstract class WorkflowEntrypoint<
  TEnv = unknown,
  TParams = unknown,
  TRegistry extends object = AnyRegistry,
> extends PlainWorkflowEntrypoint<TEnv, TParams, TRegistry> {
  abstract override run(event: WorkflowEvent<TParams>, step: TxWorkflowStep): Promise<unknown>;
}
