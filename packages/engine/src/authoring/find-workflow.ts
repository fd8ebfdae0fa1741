/** Finds a workflow by its name. */
import { WorkflowError } from "../core/errors.ts";
import type { RegisteredWorkflow } from "./registry.ts";

/** Finds a workflow of an engine by its name. @throws {WorkflowError} WORKFLOW_NOT_FOUND */
export type FindWorkflow = (workflowName: string) => RegisteredWorkflow;

/** Returns a `FindWorkflow` that looks in a registry. */
export const createFind =
  ({ registry }: { readonly registry: ReadonlyMap<string, RegisteredWorkflow> }): FindWorkflow =>
  (name) =>
    findWorkflow(registry, name);

/** @param name whatever a caller gave @throws {WorkflowError} WORKFLOW_NOT_FOUND */
export function findWorkflow(
  registry: ReadonlyMap<string, RegisteredWorkflow>,
  name: unknown,
): RegisteredWorkflow {
  const workflow = typeof name === "string" ? registry.get(name) : undefined;
  if (workflow !== undefined) return workflow;
  const workflowName = String(name).slice(0, 100);
  const message = `no workflow named "${workflowName}" is registered`;
  const registered = [...registry.keys()];
  throw new WorkflowError("WORKFLOW_NOT_FOUND", message, { workflowName, registered });
}
