/** Instances that are taken to another store, or come from one. */
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
import { isTerminal } from "../../core/model/status.ts";
import type {
  CloseMovedResult,
  Family,
  FamilyMark,
  MovingStore,
  PartsPage,
  ReadPartsRequest,
  StageRequest,
} from "../../ports/move.ts";
import { familyOf, liveParentOf } from "./delete.ts";
import { finishImport, recordName } from "./finish-import.ts";
import type { MemoryEntry } from "./progress.ts";
import {
  type MemoryEvent,
  type MemoryInstance,
  type MemoryState,
  type MemoryStep,
  runKey,
  toRecord,
} from "./state.ts";

const PAGE_ROWS = 200;

/** Records are never changed in place: another object is another version. */
const versions = new WeakMap<MemoryInstance, number>();
let lastVersion = 0;

export const openMoving = (state: MemoryState): MovingStore => ({
  loadFamily: async (ref) => loadFamily(state, ref),
  loadMovedInstance: async (ref) => loadMovedInstance(state, ref),
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

function readParts(state: MemoryState, { after, ...request }: ReadPartsRequest): PartsPage {
  const all = partsOf(state, request);
  const records = all.slice(after, after + PAGE_ROWS);
  const next = after + records.length;
  return { records, next: next < all.length ? next : null };
}

function partsOf(
  state: MemoryState,
  { kind, ...ref }: Omit<ReadPartsRequest, "after">,
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
