/** Looks at a family that is too large to be deleted in one call. Loaded when first needed. */
import type { InstanceRef } from "../../core/model/instance-key.ts";
import type {
  ChildrenPage,
  ListChildrenRequest,
  LiveBelow,
  LiveInstance,
} from "../../ports/delete.ts";
import { RETAIN_CHUNK } from "../../ports/retain.ts";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import { query } from "./late-statements.ts";
import { countBelow, selectChildren, selectLiveBelow } from "./statements/below.ts";

export async function findLive(
  { database, dialect }: SqlContext,
  instances: readonly InstanceRef[],
): Promise<LiveBelow> {
  const refs = JSON.stringify(instances);
  const { found, counted } = await applyBatch(database, {
    found: query<LiveInstance>(dialect, selectLiveBelow, refs),
    counted: query<{ readonly count: number | string }>(dialect, countBelow, refs),
  });
  return {
    live: found[0] ?? null,
    isTooLarge: Number(counted[0]?.count) > RETAIN_CHUNK.members,
  };
}

/** A position before all others. */
const FIRST = { at: 8_640_000_000_000_000, id: "" } as const;

export async function listChildren(
  { database, dialect }: SqlContext,
  { parent: { workflowName, instanceId }, after }: ListChildrenRequest,
): Promise<ChildrenPage> {
  const { at, id } = after ?? FIRST;
  const { found } = await applyBatch(database, {
    found: query<InstanceRef & { readonly id: string; readonly at: number | string }>(
      dialect,
      selectChildren,
      workflowName,
      instanceId,
      at,
      id,
    ),
  });
  const last = found.length < RETAIN_CHUNK.members ? undefined : found.at(-1);
  return {
    children: found.map((row) => ({ workflowName: row.workflowName, instanceId: row.instanceId })),
    next: last === undefined ? null : { at: Number(last.at), id: last.id },
  };
}
