/** Declares workflows: as a function, or as a class as on Cloudflare. Both run on the same core. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Workflow } from "./bindings.ts";
import type { EventSchemas, WorkflowEvent, WorkflowStep, WorkflowStepConfig } from "./step.ts";

/** Bindings by registry key, as seen from inside a workflow: not typed there, because the registry imports it. */
export type AnyBindings = Readonly<Record<string, Workflow>>;

/** What a workflow function is given beside event and step. */
export interface WorkflowContext {
  /** Starts other workflows; call it inside `step.do`. */
  readonly workflows: AnyBindings;
}

export interface WorkflowOptions<
  TSchema extends StandardSchemaV1 | undefined = undefined,
  TOutput extends StandardSchemaV1 | undefined = undefined,
  TEvents extends EventSchemas = Readonly<Record<never, StandardSchemaV1>>,
> extends WorkflowStepConfig {
  /** Stable name, 1–64 characters: routes, tables and logs use it. */
  readonly name: string;
  /** Validates params when an instance is created, and again when it runs. Any Standard Schema. */
  readonly schema?: TSchema;
  /** Validates what the workflow returns. */
  readonly output?: TOutput;
  /** Declared event types: payloads are validated when they are sent. */
  readonly events?: TEvents;
  /**
   * A step's name that is used again later in the run. `occurrences`: a step of its own (`poll`, `poll#2`, …). `cached`: the
   * same step, whose first outcome is given again. @default "occurrences"
   */
  readonly repeatedNames?: RepeatedNames;
}

/** What a name means that is used again in sequence. See `WorkflowOptions`. */
export type RepeatedNames = "occurrences" | "cached";

/** Params as the workflow is given them. */
export type ParamsOf<TSchema> = TSchema extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<TSchema>
  : unknown;
/** Params as `create` takes them. */
export type InputOf<TSchema> = TSchema extends StandardSchemaV1
  ? StandardSchemaV1.InferInput<TSchema>
  : unknown;
/** What the workflow returns. */
export type ResultOf<TOutput> = TOutput extends StandardSchemaV1
  ? StandardSchemaV1.InferInput<TOutput>
  : unknown;

/** A declared workflow. `TInput` is what `create` takes as params, `TEvents` what `sendEvent` does. */
export interface WorkflowDefinition<TInput = unknown, TEvents extends EventSchemas = EventSchemas> {
  readonly name: string;
  readonly schema: StandardSchemaV1 | null;
  readonly output: StandardSchemaV1 | null;
  readonly events: TEvents;
  /** Defaults for the workflow's steps. */
  readonly stepDefaults: WorkflowStepConfig;
  readonly repeatedNames: RepeatedNames;
  readonly run: (
    event: WorkflowEvent<unknown>,
    step: WorkflowStep,
    context: WorkflowContext,
  ) => unknown;
  /** Only for types. */
  readonly inputType?: TInput;
}

/** Declares a workflow as one async function. @source founding document 001, step 1 */
export function defineWorkflow<
  TSchema extends StandardSchemaV1 | undefined = undefined,
  TOutput extends StandardSchemaV1 | undefined = undefined,
  TEvents extends EventSchemas = Readonly<Record<never, StandardSchemaV1>>,
>(
  options: WorkflowOptions<TSchema, TOutput, TEvents>,
  run: (
    event: WorkflowEvent<ParamsOf<TSchema>>,
    step: WorkflowStep<TEvents>,
    context: WorkflowContext,
  ) => Promise<ResultOf<TOutput>> | ResultOf<TOutput>,
): WorkflowDefinition<InputOf<TSchema>, TEvents> {
  return {
    name: options.name,
    schema: options.schema ?? null,
    output: options.output ?? null,
    events: options.events ?? ({} as TEvents),
    stepDefaults: {
      ...(options.retries === undefined ? {} : { retries: options.retries }),
      ...(options.timeout === undefined ? {} : { timeout: options.timeout }),
    },
    repeatedNames: options.repeatedNames ?? "occurrences",
    run: run as WorkflowDefinition["run"],
  };
}

/** Base of workflows written as classes. @source founding spec 000 §6.1, §6.5 */
export abstract class WorkflowEntrypoint<TEnv = unknown, TParams = unknown> {
  /** What the host passes as `env` to createEngine. */
  readonly env: TEnv;
  /** The same bindings that the host has. */
  readonly workflows: AnyBindings;

  constructor(env: TEnv, workflows: AnyBindings) {
    this.env = env;
    this.workflows = workflows;
  }

  abstract run(event: WorkflowEvent<TParams>, step: WorkflowStep): Promise<unknown>;
}
