/** @module Deletes an instance. Loaded with the first delete. */
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { parseInstanceId } from "../core/request-ids.ts";
import type { DeleteOutput } from "../ports/service.ts";
import type { HostContext } from "./context.ts";
import { deleteFamily, type DeleteStore } from "./delete-family.ts";
import { notEnded } from "./refusals.ts";

/** @throws as `EngineService.deleteInstance` */
export async function deleteInstance(
  { limits, store }: Pick<HostContext, "limits"> & { readonly store: DeleteStore },
  { name: workflowName }: Pick<RegisteredWorkflow, "name">,
  id: string,
): Promise<DeleteOutput> {
  const ref = { workflowName, instanceId: parseInstanceId(id, limits) };
  const { count, isTooLarge } = await store.deleteExpired({ instances: [ref], rules: null });
  if (isTooLarge) return { deletedCount: await deleteFamily(store, ref) };
  if (count > 0) return { deletedCount: count };
  const { live } = await store.findLive([ref]);
  if (live !== null) throw notEnded(ref, live);
  return { deletedCount: 0 };
}
