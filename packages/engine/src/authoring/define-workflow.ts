/** Declares workflows: as functions, or as classes like Cloudflare's. Both run on the same core. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { assertKnownOptions } from "../core/known-names.ts";
import type { Retention } from "../core/retention.ts";
import { RETRIES_OPTIONS } from "./step-config.ts";
import type { AnyRegistry, Bindings, Typed } from "./bound-types.ts";
import type { WorkflowEvent, WorkflowStep } from "./step.ts";
import type { EventSchemas, NoEvents } from "./events.ts";
import type { KeepLiterals, Literal } from "./literals.ts";
import type { StepRetries, WorkflowStepConfig } from "./step-options.ts";

/**
 * What a workflow function gets besides event and step.
 *
 * To type the workflows that it starts, name them by their keys: `async (event, step, { workflows }: WorkflowContext<{ SHIP:
 * typeof ship }>) => …`.
 */
export interface WorkflowContext<TRegistry extends object = AnyRegistry> {
  /** Starts other workflows. Call it inside `step.do`. */
  readonly workflows: Bindings<TRegistry>;
}

/** What a workflow declares: its name, its schemas, and defaults for its steps. */
export interface WorkflowOptions<
  TSchema extends StandardSchemaV1 | undefined = undefined,
  TOutput extends StandardSchemaV1 | undefined = undefined,
  TEvents extends EventSchemas = NoEvents,
> extends WorkflowStepConfig {
  /** Stable name, 1–64 characters. Routes, tables and logs use it. */
  readonly name: string;
  /**
   * Validates params when an instance is created, and again when it runs: any Standard Schema, of Zod, Valibot or ArkType for
   * example. It types `event.payload`. @default any params, of type unknown
   */
  readonly schema?: TSchema;
  /** Validates what the workflow returns, and types `result()`. @default any value that can be stored, of type unknown */
  readonly output?: TOutput;
  /**
   * The event types of the workflow. Only these can be sent and waited for, and payloads are validated when they are sent.
   * @default any type, with any payload
   */
  readonly events?: TEvents;
  /**
   * What it means to use a step's name again later in the run. `occurrences`: another step (`poll`, `poll#2`, …). `cached`:
   * the same step, whose first outcome is returned again. @default "occurrences"
   */
  readonly repeatedNames?: RepeatedNames;
  /**
   * Retries of a run that fails as a whole: it begins again as a new run of the instance, with the same params and, as after
   * `restart`, the same idempotency keys. `limit` counts the runs after the first. The instance ends with the result of the
   * last run. @default the instance fails
   */
  readonly runRetries?: StepRetries;
  /**
   * How long instances are kept after their end: `"7 days"`, or by how they ended, `{ after: "7 days", keepFailed: true }`.
   * Then they are deleted with their history and children. @default the engine's
   */
  readonly retention?: Retention;
}

/** What it means to use a name again. See `WorkflowOptions`. */
export type RepeatedNames = "occurrences" | "cached";

/** Params as the workflow gets them. */
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
/** The output as it is stored and shown. */
export type OutputOf<TOutput> = TOutput extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<TOutput>
  : unknown;

/**
 * A declared workflow. `TInput` is the type of the params that `create` takes, `TOutput` is what `result` returns, and
 * `TEvents` are the events that `sendEvent` takes.
 */
export interface WorkflowDefinition<
  TInput = unknown,
  TOutput = unknown,
  TEvents extends EventSchemas = NoEvents,
> extends Typed<TInput, TOutput, TEvents> {
  readonly name: string;
  readonly schema: StandardSchemaV1 | null;
  readonly output: StandardSchemaV1 | null;
  readonly events: TEvents;
  /** Defaults for the workflow's steps. */
  readonly stepDefaults: WorkflowStepConfig;
  readonly repeatedNames: RepeatedNames;
  /** null: a run that fails is not tried again. */
  readonly runRetries: StepRetries | null;
  /** The engine checks it. undefined: the engine's `retention` applies. */
  readonly retention: Retention | undefined;
  readonly run: (
    event: WorkflowEvent<unknown>,
    step: WorkflowStep,
    context: WorkflowContext,
  ) => unknown;
}

/** Every option of a workflow. */
export const WORKFLOW_OPTIONS: Readonly<Record<keyof WorkflowOptions, 1>> = {
  name: 1,
  schema: 1,
  output: 1,
  events: 1,
  retries: 1,
  timeout: 1,
  repeatedNames: 1,
  runRetries: 1,
  retention: 1,
};

/**
 * Declares a workflow as an async function.
 *
 * ```ts
 * const trial = defineWorkflow({ name: "trial" }, async (event, step) => {
 *   await step.do("welcome", () => console.log(`Welcome, ${event.payload}`));
 *   await step.sleep("trial period", "14 days");
 *   return "over";
 * });
 * ```
 *
 * After every wait or crash the function runs again from the top, and completed steps return their stored results. So put
 * what has an effect into `step.do`, and await every step. It runs nothing until you give it to `createEngine`.
 *
 * @throws {WorkflowError} UNKNOWN_OPTION
 * @source founding document 001, step 1
 */
export function defineWorkflow<
  TSchema extends StandardSchemaV1 | undefined = undefined,
  TOutput extends StandardSchemaV1 | undefined = undefined,
  TEvents extends EventSchemas = NoEvents,
  TRegistry extends object = AnyRegistry,
  TLiteral extends Literal = never,
>(
  options: WorkflowOptions<TSchema, TOutput, TEvents>,
  run: (
    event: WorkflowEvent<ParamsOf<TSchema>>,
    step: WorkflowStep<TEvents>,
    context: WorkflowContext<TRegistry>,
  ) =>
    | Promise<ResultOf<TOutput> | KeepLiterals<TLiteral>>
    | ResultOf<TOutput>
    | KeepLiterals<TLiteral>,
): WorkflowDefinition<InputOf<TSchema>, OutputOf<TOutput>, TEvents> {
  assertKnownOptions("defineWorkflow", options, WORKFLOW_OPTIONS);
  assertKnownOptions("retries", options.retries, RETRIES_OPTIONS);
  assertKnownOptions("runRetries", options.runRetries, RETRIES_OPTIONS);
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
    runRetries: options.runRetries ?? null,
    retention: options.retention,
    run: run as WorkflowDefinition["run"],
  };
}

/**
 * Base class of workflows that are written as classes, as on Cloudflare.
 *
 * ```ts
 * class Greet extends WorkflowEntrypoint<unknown, { to: string }> {
 *   async run(event: WorkflowEvent<{ to: string }>, step: WorkflowStep) {
 *     return step.do("greet", () => `Hello, ${event.payload.to}`);
 *   }
 * }
 * const workflows = { GREET: { name: "greet", workflow: Greet } }; // for createEngine({ workflows })
 * ```
 *
 * @source founding spec 000 §6.1, §6.5
 */
export abstract class WorkflowEntrypoint<
  TEnv = unknown,
  TParams = unknown,
  TRegistry extends object = AnyRegistry,
> {
  /** The option `env` of `createEngine`. */
  readonly env: TEnv;
  /** The bindings of the engine, typed with `WorkflowEntrypoint<Env, Params, { SHIP: typeof ship }>`. */
  readonly workflows: Bindings<TRegistry>;

  constructor(env: TEnv, workflows: Bindings<TRegistry>) {
    this.env = env;
    this.workflows = workflows;
  }

  abstract run(event: WorkflowEvent<TParams>, step: WorkflowStep): Promise<unknown>;
}
