/** Turns staged records into instances, all at once. */
import { utf8Size } from "../../core/plain-codec.ts";
import { instanceKey } from "../../core/model/instance-key.ts";
import type { MovedRecord } from "../../core/move/records.ts";
import type {
  FinishImportRequest,
  FinishImportResult,
  MovedCounts,
  StagedRecord,
} from "../../ports/move.ts";
import { type MemoryState, runKey } from "./state.ts";
import type { MemoryTopic } from "./topic-state.ts";

const TOKEN = "import";

/** A name that is unique among all staged records. */
export function recordName({ record, ...of }: StagedRecord): string {
  const key = instanceKey(of);
  switch (record.kind) {
    case "instance":
      return `instance ${key}`;
    case "progress":
      return `progress ${record.sequence} ${key}`;
    case "step":
    case "event":
      return `${record.kind} ${record.id}`;
  }
}

export function finishImport(state: MemoryState, request: FinishImportRequest): FinishImportResult {
  const records = [...(state.imports.get(request.importId)?.values() ?? [])];
  const taken = records.find(
    (of) => of.record.kind === "instance" && state.instances.has(instanceKey(of)),
  );
  if (taken !== undefined) {
    const { workflowName, instanceId } = taken;
    return { kind: "exists", instance: { workflowName, instanceId } };
  }
  if (!isWhole(records, request.counts) || isAnyIdTaken(state, records))
    return { kind: "incomplete" };
  for (const record of records) keep(state, record);
  for (const { stepId, eventId } of request.eventMarks) markEvents(state, stepId, eventId);
  for (const { stepId, topic } of request.topicWaits) noteWait(state, stepId, topic);
  state.imports.delete(request.importId);
  return { kind: "imported" };
}

const isWhole = (records: readonly StagedRecord[], counts: MovedCounts): boolean =>
  (Object.keys(counts) as MovedRecord["kind"][]).every(
    (kind) => records.filter(({ record }) => record.kind === kind).length === counts[kind],
  );

/** Row ids are unique, as in a table. */
function isAnyIdTaken(state: MemoryState, records: readonly StagedRecord[]): boolean {
  const steps = [...state.steps.values()].flatMap((run) => [...run.values()].map(({ id }) => id));
  const events = [...state.events.values()].flatMap((run) => run.map(({ id }) => id));
  const taken = { step: new Set(steps), event: new Set(events) };
  return records.some(
    ({ record }) =>
      (record.kind === "step" || record.kind === "event") && taken[record.kind].has(record.id),
  );
}

function keep(state: MemoryState, { record, rowId, workflowName, instanceId }: StagedRecord): void {
  const ref = { workflowName, instanceId };
  switch (record.kind) {
    case "instance": {
      const { kind: _kind, ...instance } = record;
      state.instances.set(instanceKey(ref), { ...instance, rowId, endedBy: null });
      break;
    }
    case "step": {
      const { kind: _kind, runNumber, ...step } = record;
      const key = runKey({ ...ref, runNumber });
      state.steps.set(key, (state.steps.get(key) ?? new Map()).set(step.stepKey, step));
      break;
    }
    case "event": {
      const { kind: _kind, runNumber, traceContext, ...event } = record;
      const key = runKey({ ...ref, runNumber });
      state.sequence += 1;
      const sequence = state.sequence;
      const kept = { ...event, sequence, ...(traceContext === null ? {} : { traceContext }) };
      state.events.set(key, [...(state.events.get(key) ?? []), kept]);
      break;
    }
    case "progress": {
      const { kind: _kind, ...entry } = record;
      const before = state.progress.get(instanceKey(ref))?.entries ?? [];
      const entries = [...before, { ...entry, sizeBytes: utf8Size(entry.value) }];
      state.progress.set(instanceKey(ref), { token: TOKEN, commitNumber: 1, entries });
    }
  }
}

/** The sequences are this store's own. */
function markEvents(state: MemoryState, stepId: string, eventId: string | null): void {
  const events = [...state.events.values()].flat();
  const sequence = events.find(({ id }) => id === eventId)?.sequence ?? 0;
  for (const run of state.steps.values())
    for (const step of run.values())
      if (step.id === stepId) run.set(step.stepKey, { ...step, result: String(sequence) });
}

function noteWait(state: MemoryState, stepId: string, name: string): void {
  const known = state.topics.get(name);
  const topic: MemoryTopic = known ?? {
    rowId: stepId,
    name,
    sequence: 0,
    messages: [],
    waits: new Map(),
  };
  state.topics.set(name, topic);
  for (const [key, run] of state.steps)
    for (const step of run.values())
      if (step.id === stepId) {
        const [workflowName = "", instanceId = "", runNumber] = key.split("\u0000");
        const wait = { id: stepId, stepKey: step.stepKey, sequence: topic.sequence };
        topic.waits.set(stepId, {
          ...wait,
          run: { workflowName, instanceId, runNumber: Number(runNumber) },
        });
      }
}
