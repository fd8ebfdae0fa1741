/** The verbs that move instances between stores, in every form that has its own statements. */
import type { Dialect } from "@escapement/db/client";
import type { InstanceRef } from "../../core/model/instance-key.ts";
import type { MovedRecord } from "../../core/move/records.ts";
import type { StagedRecord } from "../../ports/move.ts";
import type { Store } from "../../ports/store.ts";
import type { RowsStatement } from "../../stores/sql/statements/given-rows.ts";
import { lockFamily, selectLive } from "../../stores/sql/statements/delete.ts";
import * as intoStore from "../../stores/sql/statements/move-in.ts";
import * as outOfStore from "../../stores/sql/statements/move-out.ts";
import * as movedMembers from "../../stores/sql/statements/moved-members.ts";
import { newId } from "../store-contract/builders.ts";

/** Reads the instance, imports it under another id, and abandons both. */
export async function move(store: Store, instance: InstanceRef): Promise<void> {
  const moving = await store.moving();
  const { mark } = await moving.loadFamily(instance);
  const members = [instance];
  await moving.measure(members);
  await moving.loadTopicWaits(members);
  const records: MovedRecord[] = [...(await moving.loadMembers(members)).instances];
  for (const kind of KINDS) {
    const page = await moving.readParts({ members, kind, after: { member: 0, place: 0 } });
    records.push(...page.records.map(({ record }) => record));
  }
  records.push(ENTRY, { ...ENTRY, sequence: 2 });
  await moving.closeMoved(instance, { ...mark, version: -1 });
  const { workflowName } = instance;
  const instanceId = `plan-${newId()}`;
  const staged = records.map((record): StagedRecord => {
    const rowId = newId();
    const renamed = "id" in record ? { ...record, id: rowId } : record;
    return { workflowName, instanceId, record: renamed, rowId, bytesBefore: 0 };
  });
  const ref = { importId: newId(), workflowNames: [workflowName] };
  for (const one of staged) await moving.stage({ ...ref, records: [one] });
  await moving.stage({ ...ref, records: [...staged, ...staged] });
  const counts = { instance: 0, step: 0, event: 0, progress: 0 };
  for (const { record } of staged) counts[record.kind] += 1;
  const stepId = staged.find(({ record }) => record.kind === "step")?.rowId ?? "";
  await moving.finishImport({
    ...ref,
    root: { workflowName, instanceId },
    rootRowId: staged[0]?.rowId ?? "",
    counts,
    topicWaits: [1, 2].map(() => ({ stepId, topic: `plan-${newId()}` })),
    eventMarks: [{ stepId, eventId: null }],
  });
  await moving.discardImport(ref);
}

const KINDS = ["step", "event", "progress"] as const;

const ENTRY = {
  kind: "progress",
  sequence: 1,
  runNumber: 1,
  stepKey: "p",
  attempt: null,
  createdAt: 1,
  value: "1",
} as const;

/** The statements that have one text each. */
export const MOVE_TEXTS: readonly ((dialect: Dialect) => string)[] = [
  outOfStore.selectFamily,
  outOfStore.selectMark,
  outOfStore.selectLiveParent,
  movedMembers.selectSizes,
  movedMembers.selectTopicWaits,
  movedMembers.selectMovedInstances,
  movedMembers.selectMovedSteps,
  movedMembers.selectMovedEvents,
  movedMembers.selectMovedEntries,
  outOfStore.closeMoved,
  lockFamily,
  selectLive,
  intoStore.selectTaken,
  intoStore.moveInstances,
  intoStore.moveSteps,
  intoStore.moveEvents,
  intoStore.moveEntries,
  intoStore.markEvents,
  intoStore.insertMovedWaits,
  intoStore.discardInstances,
  intoStore.discardSteps,
  intoStore.discardEvents,
  intoStore.discardEntries,
];

/** The statements over rows. */
export const MOVE_ROWS: readonly RowsStatement[] = [
  intoStore.stageInstances,
  intoStore.stageSteps,
  intoStore.stageEvents,
  intoStore.stageEntries,
];
