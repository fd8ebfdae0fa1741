/** Reads instances for an export, and closes them after their move. Loaded with the first call. */
import type { InstanceRef } from "../../core/model/instance-key.ts";
import { toMovedError } from "../../core/move/moved-error.ts";
import { MAX_FAMILY } from "../../core/move/format.ts";
import type { InstanceStatusName } from "../../core/model/status.ts";
import type { LiveInstance } from "../../ports/delete.ts";
import type { CloseMovedResult, Family, FamilyMark, FamilyMember } from "../../ports/move.ts";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import { query } from "./late-statements.ts";
import { lockFamily, selectLive } from "./statements/delete.ts";
import * as texts from "./statements/move-out.ts";

interface MemberRow extends InstanceRef {
  readonly status: InstanceStatusName;
  readonly parentWorkflowName: string | null;
  readonly parentInstanceId: string | null;
}

const toMember = ({
  workflowName,
  instanceId,
  status,
  parentWorkflowName,
  parentInstanceId,
}: MemberRow): FamilyMember => ({
  workflowName,
  instanceId,
  status,
  parent:
    parentWorkflowName === null || parentInstanceId === null
      ? null
      : { workflowName: parentWorkflowName, instanceId: parentInstanceId },
});

/** Sums, which some drivers return as text. */
type MarkRow = Readonly<Record<keyof FamilyMark, number | string>>;

const toMark = (row: MarkRow | undefined): FamilyMark => ({
  members: Number(row?.members ?? 0),
  version: Number(row?.version ?? 0),
  events: Number(row?.events ?? 0),
});

export async function loadFamily(
  { database, dialect }: SqlContext,
  { workflowName, instanceId }: InstanceRef,
): Promise<Family> {
  const ref = [workflowName, instanceId] as const;
  const { members, mark, parent } = await applyBatch(database, {
    members: query<MemberRow>(dialect, texts.selectFamily, ...ref, MAX_FAMILY + 1),
    mark: query<MarkRow>(dialect, texts.selectMark, ...ref),
    parent: query<LiveInstance>(dialect, texts.selectLiveParent, ...ref),
  });
  return {
    members: members.map(toMember),
    mark: toMark(mark[0]),
    liveParent: parent[0] ?? null,
  };
}

/** Closes a family. It is locked first, so that nobody writes to it between the look and the write. */
export async function closeMoved(
  { database, dialect }: SqlContext,
  { workflowName, instanceId }: InstanceRef,
  { members, version, events }: FamilyMark,
): Promise<CloseMovedResult> {
  const ref = [workflowName, instanceId] as const;
  const { name, message } = toMovedError();
  const end = [members, version, events, name, message] as const;
  const { live, closed } = await applyBatch(database, {
    locked: query(dialect, lockFamily, ...ref),
    live: query<LiveInstance>(dialect, selectLive, ...ref),
    closed: query<{ readonly id: string }>(dialect, texts.closeMoved, ...ref, ...end),
  });
  return live.length > 0 && closed.length === 0
    ? { kind: "changed" }
    : { kind: "closed", count: closed.length };
}
