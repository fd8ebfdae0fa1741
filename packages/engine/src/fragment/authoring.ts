/** Declares workflows whose steps write into fragments' tables. What `@escapement/engine` declares runs here as well. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import {
  defineWorkflow as definePlainWorkflow,
  type InputOf,
  type ParamsOf,
  type ResultOf,
  type WorkflowContext,
  type WorkflowDefinition,
  WorkflowEntrypoint as PlainWorkflowEntrypoint,
  type WorkflowOptions,
} from "../authoring/define-workflow.ts";
import type { EventSchemas, WorkflowEvent } from "../authoring/step.ts";
import type { TxWorkflowStep } from "./step-tx.ts";

/** Declares a workflow as one async function. @source founding document 001, steps 1 and 5 */
export function defineWorkflow<
  TSchema extends StandardSchemaV1 | undefined = undefined,
  TOutput extends StandardSchemaV1 | undefined = undefined,
  TEvents extends EventSchemas = Readonly<Record<never, StandardSchemaV1>>,
>(
  options: WorkflowOptions<TSchema, TOutput, TEvents>,
  run: (
    event: WorkflowEvent<ParamsOf<TSchema>>,
    step: TxWorkflowStep<TEvents>,
    context: WorkflowContext,
  ) => Promise<ResultOf<TOutput>> | ResultOf<TOutput>,
): WorkflowDefinition<InputOf<TSchema>, TEvents> {
  return definePlainWorkflow(options, run as never);
}

/** Base of workflows written as classes. @source founding spec 000 §6.1, §6.5 */
export abstract class WorkflowEntrypoint<
  TEnv = unknown,
  TParams = unknown,
> extends PlainWorkflowEntrypoint<TEnv, TParams> {
  abstract override run(event: WorkflowEvent<TParams>, step: TxWorkflowStep): Promise<unknown>;
}
