/** @module Deletes an instance. Loaded with the first delete. */
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import { parseInstanceId } from "../core/request-ids.ts";
import type { Preconditions } from "../ports/command-options.ts";
import type { DeleteOutput } from "../ports/service.ts";
import type { HostContext } from "./context.ts";
import { assertMeant, deleteFamily, type DeleteStore } from "./delete-family.ts";
import { parsePreconditions, PRECONDITIONS } from "./manage.ts";
import { notEnded } from "./refusals.ts";

/** @throws as `EngineService.deleteInstance` */
export async function deleteInstance(
  { limits, store }: Pick<HostContext, "limits"> & { readonly store: DeleteStore },
  { name: workflowName }: Pick<RegisteredWorkflow, "name">,
  { id, options }: { readonly id: string; readonly options?: Preconditions | undefined },
): Promise<DeleteOutput> {
  assertKnownOptions("delete", options, PRECONDITIONS);
  const ref = { workflowName, instanceId: parseInstanceId(id, limits) };
  const demand = options === undefined ? {} : { demand: parsePreconditions(options) };
  const request = { instances: [ref], rules: null, ...demand };
  const { count, isTooLarge } = await store.deleteExpired(request);
  if (isTooLarge) return { deletedCount: await deleteFamily(store, ref, demand) };
  if (count > 0) return { deletedCount: count };
  await assertMeant(store, ref, demand);
  const { live } = await store.findLive([ref]);
  if (live !== null) throw notEnded(ref, live);
  return { deletedCount: 0 };
}
