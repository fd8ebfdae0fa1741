/** `Store.deleteInstance` in one batch. Loaded when it is first asked for. */
import type { InstanceRef } from "../../core/model/instance-key.ts";
import type { DeleteResult, LiveInstance } from "../../ports/delete.ts";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import { query } from "./late-statements.ts";
import { DELETES, lockFamily, selectLive } from "./statements/delete.ts";

/** The family is locked first, so that what is found to have ended stays so. */
export async function deleteInstance(
  { database, dialect }: SqlContext,
  { workflowName, instanceId }: InstanceRef,
): Promise<DeleteResult> {
  const ref = [workflowName, instanceId] as const;
  const {
    live: [live],
    instances,
  } = await applyBatch(database, {
    locked: query<never>(dialect, lockFamily, ...ref),
    live: query<LiveInstance>(dialect, selectLive, ...ref),
    topicWaits: query<never>(dialect, DELETES.topicWaits, ...ref),
    steps: query<never>(dialect, DELETES.steps, ...ref),
    events: query<never>(dialect, DELETES.events, ...ref),
    progress: query<never>(dialect, DELETES.progress, ...ref),
    instances: query<{ readonly id: string }>(dialect, DELETES.instances, ...ref),
  });
  return live === undefined
    ? { kind: "deleted", count: instances.length }
    : { kind: "notEnded", live };
}
