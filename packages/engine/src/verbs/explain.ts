/** @module Explains why an instance is not moving. Loaded with the first call. */
import type { FindWorkflow } from "../authoring/find-workflow.ts";
import { explain } from "../core/explain/explain.ts";
import type { Explanation } from "../core/explain/explanation.ts";
import { ID_PATTERN } from "../core/limits.ts";
import { parseInstanceId } from "../core/request-ids.ts";
import type { HostContext } from "./context.ts";
import { notFound } from "./refusals.ts";

/**
 * @param find finds a workflow by its name. @throws {WorkflowError} WORKFLOW_NOT_FOUND
 * @throws as `EngineService.explainInstance`
 */
export async function explainInstance(
  context: HostContext,
  find: FindWorkflow,
  { workflowName, id }: { readonly workflowName: string; readonly id: string },
): Promise<Explanation> {
  const isRegistered = context.registry.has(workflowName) || workflowName === context.bulk?.name;
  // No workflow can have such a name, so the database need not be asked.
  if (!isRegistered && !isName(workflowName, context.limits.maxWorkflowNameLength))
    find(workflowName);
  const instanceId = parseInstanceId(id, context.limits);
  const facts = await context.store.loadFacts({ workflowName, instanceId });
  if (facts !== null) return explain(facts, { isRegistered });
  find(workflowName);
  throw notFound({ workflowName, instanceId });
}

const isName = (name: unknown, maxLength: number): boolean =>
  typeof name === "string" && name.length <= maxLength && ID_PATTERN.test(name);
