/** Imports instances from another store. Loaded with the first import. */
import { utf8Size } from "../../core/plain-codec.ts";
import { toDetailText } from "../../core/stored-error.ts";
import { WorkflowError } from "../../core/errors.ts";
import type { InstanceRef } from "../../core/model/instance-key.ts";
import type { ErrorRecord, RunRef } from "../../core/model/records.ts";
import { addToCrc32 } from "../../core/move/crc32.ts";
import type { MovedInstance, MovedPart } from "../../core/move/records.ts";
import type {
  FinishImportRequest,
  FinishImportResult,
  ImportRef,
  StagedRecord,
  StageRequest,
} from "../../ports/move.ts";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import { toInstanceDetail } from "./instance-detail.ts";
import { query, queryRows } from "./late-statements.ts";
import type { ErrorColumns, InstanceRow } from "./rows.ts";
import type { MOVED_ALONG } from "./statements/moved-members.ts";
import { insertTopics, lockTopics } from "./statements/topic-waits.ts";
import { toTagsText } from "./statements/update.ts";
import * as texts from "./statements/move-in.ts";

/** The name of a workflow while its instances are staged. No engine ever asks for it. */
const toStagedName = (importId: string, workflowName: string): string =>
  `!import ${importId} ${workflowName}`;

const toNames = ({ importId, workflowNames }: ImportRef): string =>
  JSON.stringify(workflowNames.map((name) => ({ staged: toStagedName(importId, name), name })));

export async function stage(
  { database, dialect }: SqlContext,
  { importId, records }: StageRequest,
): Promise<void> {
  const rows = records.map((staged, place) => ({
    kind: staged.record.kind,
    row: withoutNulls({ ...toRow(importId, staged), place }),
  }));
  const of = (kind: StagedRecord["record"]["kind"]): readonly object[] =>
    rows.filter((each) => each.kind === kind).map(({ row }) => row);
  await applyBatch(database, {
    instances: queryRows(dialect, texts.stageInstances, of("instance")),
    steps: queryRows(dialect, texts.stageSteps, of("step")),
    events: queryRows(dialect, texts.stageEvents, of("event")),
    entries: queryRows(dialect, texts.stageEntries, of("progress")),
  });
}

type Columns = Readonly<Record<string, string | number | null>>;

const withoutNulls = (row: Columns): Columns =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));

function toRow(importId: string, { record, rowId, bytesBefore, ...of }: StagedRecord): Columns {
  const workflowName = toStagedName(importId, of.workflowName);
  const key = { workflowName, instanceId: of.instanceId, runNumber: record.runNumber };
  if (record.kind === "instance")
    return {
      id: rowId,
      ...key,
      ...toInstanceColumns(record),
      ...toStagedColumns(importId, record),
    };
  return { id: rowId, ...toPartColumns(record, bytesBefore), ...key };
}

/**
 * The parent has its staged name, or the children would be found as children of an instance with the same name in this store.
 * The version differs for each import, so that a later export of the instance can be distinguished from other copies of it.
 */
const toStagedColumns = (importId: string, { parent }: MovedInstance): Columns => ({
  parentWorkflowName: parent === null ? null : toStagedName(importId, parent.workflowName),
  _version: addToCrc32(0, new TextEncoder().encode(importId)) % MOST_VERSION,
});

/** Half of a 31-bit column, which leaves room for as many writes. */
const MOST_VERSION = 2 ** 30;

const toErrorColumns = (
  error: ErrorRecord | null,
): Readonly<Record<keyof ErrorColumns, string | null>> => ({
  errorName: error?.name ?? null,
  errorMessage: error?.message ?? null,
  errorDetail: error === null ? null : toDetailText(error),
});

/** The compiler asks for every column, except for those of the key and those that are the same in every staged row. */
type InstanceColumns = Readonly<
  Record<
    Exclude<
      keyof InstanceRow | (typeof MOVED_ALONG)["instance"][number],
      "id" | keyof RunRef | "pauseRequested" | "parentWorkflowName"
    >,
    string | number | null
  >
>;

const toInstanceColumns = (instance: MovedInstance): InstanceColumns => ({
  status: instance.status,
  params: instance.params,
  output: instance.output,
  ...toErrorColumns(instance.error),
  errorDetail: toInstanceDetail(instance.error, instance.diverged),
  endRequested: instance.endRequested,
  parentInstanceId: instance.parent?.instanceId ?? null,
  parentRunNumber: instance.parent?.runNumber ?? null,
  parentStepKey: instance.parent?.stepKey ?? null,
  onParentEnd: instance.parent?.onParentEnd ?? null,
  forkedFrom: instance.forkedFrom === null ? null : JSON.stringify(instance.forkedFrom),
  retryCount: instance.retryCount === 0 ? null : instance.retryCount,
  deadlineAt: instance.deadlineAt,
  tags: toTagsText(instance.tags),
  memo: instance.memo,
  controlKey: instance.controlKey,
  keyNumber: instance.keyNumber,
  traceContext: instance.traceContext,
  createdAt: instance.createdAt,
  updatedAt: instance.updatedAt,
  startedAt: instance.startedAt,
  completedAt: instance.completedAt,
});

function toPartColumns(record: MovedPart, bytesBefore: number): Columns {
  switch (record.kind) {
    case "step": {
      const { kind: _kind, error, version, ...columns } = record;
      return { ...columns, ...toErrorColumns(error), _version: version };
    }
    case "event": {
      const { kind: _kind, sequence: _sequence, ...columns } = record;
      return { ...columns, sizeBytes: utf8Size(record.payload ?? "") };
    }
    case "progress": {
      const { kind: _kind, ...columns } = record;
      const sizeBytes = utf8Size(record.value);
      return { ...columns, sizeBytes, totalBytes: bytesBefore + sizeBytes };
    }
  }
}

export async function finishImport(
  context: SqlContext,
  request: FinishImportRequest,
): Promise<FinishImportResult> {
  try {
    return await finish(context, request);
  } catch (error) {
    // Somebody has created an instance with such an id meanwhile. Now it can be found.
    if (WorkflowError.is(error) && error.details["constraint"] !== undefined)
      return finish(context, request);
    throw error;
  }
}

async function finish(
  { database, dialect }: SqlContext,
  request: FinishImportRequest,
): Promise<FinishImportResult> {
  const { rootRowId, counts, topicWaits, eventMarks } = request;
  const names = toNames(request);
  const all = [counts.instance, counts.step, counts.event, counts.progress] as const;
  const topics = toTopicRows(request);
  const has = (list: readonly object[]): boolean => list.length > 0;
  const moved = [names, rootRowId] as const;
  const { taken, instances } = await applyBatch(database, {
    topics: queryRows(dialect, insertTopics, topics),
    lockTopics: queryRows(dialect, lockTopics, topics),
    taken: query<InstanceRef>(dialect, texts.selectTaken, names),
    instances: query<{ readonly id: string }>(dialect, texts.moveInstances, ...moved, ...all),
    steps: query(dialect, texts.moveSteps, ...moved),
    events: query(dialect, texts.moveEvents, ...moved),
    entries: query(dialect, texts.moveEntries, ...moved),
    marks: has(eventMarks)
      ? query(dialect, texts.markEvents, ...moved, JSON.stringify(eventMarks))
      : null,
    waits: has(topicWaits)
      ? query(dialect, texts.insertMovedWaits, ...moved, JSON.stringify(topicWaits))
      : null,
  });
  const [exists] = taken;
  if (exists !== undefined) return { kind: "exists", instance: exists };
  return { kind: instances.length === 0 ? "incomplete" : "imported" };
}

/** The topics, each once, in the order of their names. A new topic gets the id of a step that waits for it. */
function toTopicRows({ topicWaits }: FinishImportRequest): readonly object[] {
  const byName = new Map(topicWaits.map(({ topic, stepId }) => [topic, stepId]));
  const names = [...byName.keys()].toSorted();
  return names.map((name) => ({ name, id: byName.get(name) }));
}

export async function discardImport(
  { database, dialect }: SqlContext,
  request: ImportRef,
): Promise<void> {
  const names = toNames(request);
  await applyBatch(database, {
    steps: query(dialect, texts.discardSteps, names),
    events: query(dialect, texts.discardEvents, names),
    entries: query(dialect, texts.discardEntries, names),
    instances: query(dialect, texts.discardInstances, names),
  });
}
