/** An instance that is as it was created. */
import type { InstanceRecord, JsonText, ParentRef } from "./model/records.ts";

/** What was given for it. */
interface GivenInstance {
  readonly workflowName: string;
  readonly instanceId: string;
  readonly params: JsonText | null;
  /** null: nobody claims it with its creation. */
  readonly claim: object | null;
  readonly parent?: ParentRef | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly memo?: JsonText | null | undefined;
}

/** The record of an instance that nothing has happened to. @param times by the database's clock */
export const toCreatedRecord = (
  given: GivenInstance,
  {
    createdAt,
    startedAt,
    deadlineAt,
  }: Pick<InstanceRecord, "createdAt" | "startedAt" | "deadlineAt">,
): InstanceRecord => ({
  workflowName: given.workflowName,
  instanceId: given.instanceId,
  runNumber: 1,
  status: given.claim === null ? "queued" : "running",
  params: given.params,
  output: null,
  error: null,
  diverged: [],
  pauseRequested: false,
  endRequested: null,
  forkedFrom: null,
  retryCount: 0,
  deadlineAt,
  tags: given.tags ?? [],
  memo: given.memo ?? null,
  createdAt,
  updatedAt: createdAt,
  startedAt,
  completedAt: null,
  parent: given.parent ?? null,
});
