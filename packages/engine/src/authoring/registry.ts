/** The workflows that an application registers, under binding keys. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { BULK_WORKFLOW } from "../core/engine-names.ts";
import { WorkflowError } from "../core/errors.ts";
import type { Late } from "../core/late.ts";
import { parseWorkflowName, type RunLimits } from "../core/limits.ts";
import type { WorkflowDefinition, WorkflowEntrypoint, WorkflowOptions } from "./define-workflow.ts";
import { assertSchema } from "./assert-schema.ts";
import {
  type ResolvedRetries,
  type ResolvedStepConfig,
  resolveRetries,
  resolveStepConfig,
} from "./step-config.ts";
import type { EventSchemas } from "./events.ts";

/** The constructor of a class workflow. Its parameters are `never`, so that any environment, bindings and params fit. */
export type WorkflowClass = new (
  env: never,
  workflows: never,
) => Pick<WorkflowEntrypoint<never, never>, "run">;

/** A class workflow with its name and, optionally, the options of `defineWorkflow`. @source founding spec 000 §6.5 */
export interface ClassRegistration<
  TClass extends WorkflowClass = WorkflowClass,
> extends WorkflowOptions<StandardSchemaV1, StandardSchemaV1, EventSchemas> {
  readonly workflow: TClass;
}

/** The workflows of an engine, by binding key. */
export type WorkflowsRegistry = Readonly<Record<string, WorkflowDefinition | ClassRegistration>>;

/** A registry entry in the form that the runner reads, by name. */
export interface RegisteredWorkflow extends WorkflowDefinition<unknown, unknown, EventSchemas> {
  readonly bindingKey: string;
  /** The configuration of steps that set nothing themselves. */
  readonly stepConfig: ResolvedStepConfig;
  /** `runRetries`; null: a run that fails does not begin again. */
  readonly runPolicy: ResolvedRetries | null;
  /** Code that has to be loaded before the workflow runs. @default it needs none */
  readonly code?: Late<object>;
}

/**
 * Reads a registry.
 *
 * @param env what class workflows are given
 * @throws {WorkflowError} WORKFLOW_INVALID — a name twice, or one of the engine's own, or no schema in place of one; INVALID_WORKFLOW_NAME, INVALID_RETRY_POLICY, INVALID_DURATION
 */
export function createRegistry(
  workflows: WorkflowsRegistry,
  options: { readonly env: unknown; readonly limits: RunLimits },
): ReadonlyMap<string, RegisteredWorkflow> {
  const byName = new Map<string, RegisteredWorkflow>();
  for (const [bindingKey, entry] of Object.entries(workflows)) {
    const definition = "workflow" in entry ? fromClass(entry, options.env) : entry;
    const name = parseWorkflowName(definition.name, options.limits);
    const other = name === BULK_WORKFLOW ? "the engine's own" : byName.get(name)?.bindingKey;
    if (other !== undefined) {
      const keys = [other, bindingKey];
      throw new WorkflowError(
        "WORKFLOW_INVALID",
        `workflow "${name}" is registered twice, as ${keys.join(" and ")}`,
        { name, keys },
      );
    }
    assertSchemas(definition);
    byName.set(name, toRegistered(definition, bindingKey));
  }
  return byName;
}

function assertSchemas({ name, schema, output, events }: WorkflowDefinition): void {
  assertSchema(schema, `schema of workflow "${name}"`);
  assertSchema(output, `output of workflow "${name}"`);
  for (const [type, event] of Object.entries<unknown>(events))
    assertSchema(event, `event "${type}" of workflow "${name}"`);
}

/** @throws {WorkflowError} INVALID_RETRY_POLICY, INVALID_DURATION */
export function toRegistered(
  definition: WorkflowDefinition,
  bindingKey: string,
): RegisteredWorkflow {
  const { stepDefaults, runRetries } = definition;
  const runPolicy = runRetries === null ? null : resolveRetries(runRetries, "runRetries");
  return { ...definition, bindingKey, stepConfig: resolveStepConfig(stepDefaults), runPolicy };
}

const fromClass = (entry: ClassRegistration, env: unknown): WorkflowDefinition =>
  toDefinition(entry, (event, step, context) =>
    new entry.workflow(env as never, context.workflows as never).run(event as never, step),
  );

/** Makes a definition from a registration, without `defineWorkflow`. */
export function toDefinition(
  entry: Omit<ClassRegistration, "workflow">,
  run: WorkflowDefinition["run"],
): WorkflowDefinition {
  return {
    name: entry.name,
    schema: entry.schema ?? null,
    output: entry.output ?? null,
    events: entry.events ?? {},
    stepDefaults: {
      ...(entry.retries === undefined ? {} : { retries: entry.retries }),
      ...(entry.timeout === undefined ? {} : { timeout: entry.timeout }),
    },
    repeatedNames: entry.repeatedNames ?? "occurrences",
    runRetries: entry.runRetries ?? null,
    retention: entry.retention,
    run,
  };
}
