/** Instances that move to another store, or come from one. */
import { type InstanceRef, instanceKey } from "../../core/model/instance-key.ts";
import { toMovedError } from "../../core/move/moved-error.ts";
import type { RunRef } from "../../core/model/records.ts";
import type {
  MovedEntry,
  MovedEvent,
  MovedInstance,
  MovedPart,
  MovedStep,
} from "../../core/move/records.ts";
import { topicOfWait } from "../../core/move/topic-of-wait.ts";
import { isTerminal } from "../../core/model/status.ts";
import type {
  CloseMovedResult,
  Family,
  FamilyMark,
  MemberSize,
  MembersPage,
  MovedTopicWait,
  MovingStore,
  PartsPage,
  PlacedPart,
  ReadPartsRequest,
  StageRequest,
} from "../../ports/move.ts";
import { familyOf, liveParentOf } from "./delete.ts";
import { finishImport, recordName } from "./finish-import.ts";
import {
  type MemoryEntry,
  type MemoryEvent,
  type MemoryInstance,
  type MemoryState,
  type MemoryStep,
  runKey,
  toRecord,
  toRunRef,
} from "./state.ts";

const PAGE_ROWS = 1000;

/** Records are replaced and never changed, so each object is a version. */
const versions = new WeakMap<MemoryInstance, number>();
let lastVersion = 0;

export const openMoving = (state: MemoryState): MovingStore => ({
  loadFamily: async (ref) => loadFamily(state, ref),
  measure: async (members) => members.map((ref) => measureOne(state, ref)),
  loadTopicWaits: async (members) => members.flatMap((ref) => topicWaitsOf(state, ref)),
  loadMembers: async (members, only) => loadMembers(state, members, only),
  readParts: async (request) => readParts(state, request),
  stage: async (request) => stage(state, request),
  finishImport: async (request) => finishImport(state, request),
  discardImport: async ({ importId }) => void state.imports.delete(importId),
  closeMoved: async (ref, mark) => closeMoved(state, ref, mark),
});

const membersOf = (state: MemoryState, ref: InstanceRef): readonly MemoryInstance[] => {
  const itself = state.instances.get(instanceKey(ref));
  return itself === undefined ? [] : familyOf(state, itself);
};

function loadFamily(state: MemoryState, ref: InstanceRef): Family {
  const members = membersOf(state, ref);
  const [itself] = members;
  const parent = itself === undefined ? undefined : liveParentOf(state, itself);
  return {
    members: members.map(({ workflowName, instanceId, status, parent: by }) => ({
      workflowName,
      instanceId,
      status,
      parent: by,
    })),
    mark: toMark(state, members),
    liveParent: parent === undefined ? null : toRecord(parent),
  };
}

const toMark = (state: MemoryState, members: readonly MemoryInstance[]): FamilyMark => ({
  members: members.length,
  version: members.reduce((sum, member) => sum + versionOf(member), 0),
  events: members.reduce((sum, member) => sum + eventsOf(state, member).length, 0),
});

function versionOf(instance: MemoryInstance): number {
  const known = versions.get(instance);
  if (known !== undefined) return known;
  lastVersion += 1;
  versions.set(instance, lastVersion);
  return lastVersion;
}

const runsOf = ({ workflowName, instanceId, runNumber }: MemoryInstance): readonly RunRef[] =>
  Array.from({ length: runNumber }, (_, index) => ({
    workflowName,
    instanceId,
    runNumber: index + 1,
  }));

const eventsOf = (state: MemoryState, instance: MemoryInstance): readonly MovedEvent[] =>
  runsOf(instance).flatMap((run) =>
    (state.events.get(runKey(run)) ?? []).map((event) => toMovedEvent(event, run)),
  );

const toMovedEvent = (event: MemoryEvent, { runNumber }: RunRef): MovedEvent => ({
  kind: "event",
  ...event,
  traceContext: event.traceContext ?? null,
  runNumber,
});

const toMovedStep = (step: MemoryStep, { runNumber }: RunRef): MovedStep => ({
  kind: "step",
  ...step,
  runNumber,
});

const toMovedEntry = (entry: MemoryEntry): MovedEntry => {
  const { sizeBytes: _sizeBytes, ...record } = entry;
  return { kind: "progress", ...record };
};

function loadMovedInstance(state: MemoryState, ref: InstanceRef): MovedInstance | null {
  const instance = state.instances.get(instanceKey(ref));
  if (instance === undefined) return null;
  const { controlKey, keyNumber, traceContext = null } = instance;
  return { kind: "instance", ...toRecord(instance), controlKey, keyNumber, traceContext };
}

function measureOne(state: MemoryState, ref: InstanceRef): MemberSize {
  const records = [
    loadMovedInstance(state, ref),
    ...(["step", "event", "progress"] as const).flatMap((kind) => partsOf(state, { ...ref, kind })),
  ];
  return {
    sizeBytes: records.reduce((sum, record) => sum + JSON.stringify(record).length, 0),
    topicWaitCount: topicWaitsOf(state, ref).length,
  };
}

function topicWaitsOf(state: MemoryState, ref: InstanceRef): readonly MovedTopicWait[] {
  const instance = state.instances.get(instanceKey(ref));
  if (instance === undefined) return [];
  const steps = [...(state.steps.get(runKey(toRunRef(instance)))?.values() ?? [])];
  return steps.flatMap((step) => {
    const topic = topicOfWait(step);
    return topic === null ? [] : [{ stepId: step.id, topic }];
  });
}

function loadMembers(
  state: MemoryState,
  members: readonly InstanceRef[],
  only?: MovedPart["kind"],
): MembersPage {
  const first = (kind: MovedPart["kind"]): PartsPage =>
    only === undefined || only === kind
      ? readParts(state, { members, kind, after: { member: 0, place: 0 } })
      : { records: [], next: null };
  return {
    instances: members.flatMap((ref) => loadMovedInstance(state, ref) ?? []),
    step: first("step"),
    event: first("event"),
    progress: first("progress"),
  };
}

/** A position is the number of a part of the instance, from 1. */
function readParts(state: MemoryState, { members, kind, after }: ReadPartsRequest): PartsPage {
  const records: PlacedPart[] = [];
  for (const [index, ref] of members.slice(after.member).entries()) {
    const member = after.member + index;
    const before = index === 0 ? after.place : 0;
    const parts = partsOf(state, { ...ref, kind }).slice(before);
    for (const [at, record] of parts.entries()) {
      records.push({ member, record });
      if (records.length === PAGE_ROWS)
        return { records, next: { member, place: before + at + 1 } };
    }
  }
  return { records, next: null };
}

function partsOf(
  state: MemoryState,
  { kind, ...ref }: InstanceRef & Pick<ReadPartsRequest, "kind">,
): readonly MovedPart[] {
  const instance = state.instances.get(instanceKey(ref));
  if (instance === undefined) return [];
  if (kind === "event")
    return eventsOf(state, instance).toSorted((a, b) => a.sequence - b.sequence);
  if (kind === "progress")
    return (state.progress.get(instanceKey(ref))?.entries ?? []).map(toMovedEntry);
  return runsOf(instance).flatMap((run) =>
    [...(state.steps.get(runKey(run))?.values() ?? [])].map((step) => toMovedStep(step, run)),
  );
}

function stage(state: MemoryState, { importId, records }: StageRequest): void {
  const staged = state.imports.get(importId) ?? new Map();
  state.imports.set(importId, staged);
  for (const record of records) {
    const name = recordName(record);
    if (!staged.has(name)) staged.set(name, record);
  }
}

function closeMoved(state: MemoryState, ref: InstanceRef, mark: FamilyMark): CloseMovedResult {
  const members = membersOf(state, ref);
  if (members.every(({ status }) => isTerminal(status))) return { kind: "closed", count: 0 };
  const now = toMark(state, members);
  const isSame = (["members", "version", "events"] as const).every(
    (name) => now[name] === mark[name],
  );
  if (!isSame) return { kind: "changed" };
  const paused = members.filter(({ status }) => status === "paused");
  const at = state.now();
  for (const member of paused) {
    const ended = { status: "terminated", error: toMovedError(), completedAt: at, updatedAt: at };
    state.instances.set(instanceKey(member), { ...member, ...ended } as MemoryInstance);
  }
  return { kind: "closed", count: paused.length };
}
