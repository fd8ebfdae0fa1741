/** `Store.deleteInstance` in one batch. Loaded when it is first asked for. */
import type { InstanceRef } from "../../core/model/instance-key.ts";
import type { DeleteResult, LiveInstance } from "../../ports/delete.ts";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import { query } from "./late-statements.ts";
import {
  deleteEvents,
  deleteInstances,
  deleteProgress,
  deleteSteps,
  deleteTopicWaits,
  lockFamily,
  selectLive,
} from "./statements/delete.ts";

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
    topicWaits: query<never>(dialect, deleteTopicWaits, ...ref),
    steps: query<never>(dialect, deleteSteps, ...ref),
    events: query<never>(dialect, deleteEvents, ...ref),
    progress: query<never>(dialect, deleteProgress, ...ref),
    instances: query<{ readonly id: string }>(dialect, deleteInstances, ...ref),
  });
  return live === undefined
    ? { kind: "deleted", count: instances.length }
    : { kind: "notEnded", live };
}
