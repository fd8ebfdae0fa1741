/** @module Deleting an instance. Loaded with the first delete. */
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { parseInstanceId } from "../core/request-ids.ts";
import type { DeleteOutput } from "../ports/service.ts";
import type { HostContext } from "./context.ts";
import { notEnded } from "./refusals.ts";

/** @throws as `EngineService.deleteInstance` */
export async function deleteInstance(
  { limits, store }: HostContext,
  { name: workflowName }: Pick<RegisteredWorkflow, "name">,
  id: string,
): Promise<DeleteOutput> {
  const ref = { workflowName, instanceId: parseInstanceId(id, limits) };
  const result = await store.deleteInstance(ref);
  if (result.kind === "notEnded") throw notEnded(ref, result.live);
  return { deletedCount: result.count };
}
