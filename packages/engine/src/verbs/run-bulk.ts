/** @module The steps of a bulk job. Loaded with the first job that runs. */
import { Loop } from "../authoring/loop.ts";
import type { WorkflowEvent, WorkflowStep } from "../authoring/step.ts";
import { AT_REST, findRefusal } from "../core/bulk.ts";
import { BULK_WORKFLOW } from "../core/engine-names.ts";
import type { ErrorCode } from "../core/error-codes.ts";
import type { InstanceRecord } from "../core/model/records.ts";
import type { PagePosition } from "../ports/pages.ts";
import type { TripCounter } from "../ports/trips.ts";
import { actOn, type BulkItem, type BulkJob, lastEndOf } from "./bulk-act.ts";
import { type BulkParams, type Progress, toMemo, toShownProgress } from "./bulk-view.ts";
import { type EngineContext, toHostContext } from "./context.ts";
import { countMatching } from "./count-matching.ts";

/** Instances of one chunk. If trips are limited, it must not need more than are reserved for the end of an invocation. */
const CHUNK = 20;
const CHUNK_OF_TRIPS = 4;
/** How many looks of one step may find nothing. */
const MAX_LOOKS = 5;
/** How many refusals are reported by name. */
const MAX_REFUSALS = 20;

/** What jobs need to run. */
interface BulkHost {
  readonly context: EngineContext;
  /** undefined: the platform does not limit trips. */
  readonly trips: TripCounter | undefined;
}

type Event = Pick<WorkflowEvent<unknown>, "payload" | "timestamp" | "instanceId">;

interface Chunk {
  readonly items: readonly BulkItem[];
  readonly next: PagePosition | null;
}

function toJob({ context, trips }: BulkHost, { payload, timestamp, instanceId }: Event): BulkJob {
  const { act, filter, request } = payload as BulkParams;
  const startedAt = timestamp.getTime();
  // Instances that were created later are not reached, so the job ends.
  const createdBefore = Math.min(request.createdBefore ?? Infinity, startedAt + 1);
  return {
    context: toHostContext(context),
    act,
    filter,
    id: instanceId,
    startedAt,
    request: { ...request, createdBefore },
    isCounted: trips !== undefined && context.store.isLocal !== true,
    countTrips: (made) => trips?.add?.(made),
  };
}

interface Position extends Progress {
  readonly after: PagePosition | null;
}

/** Runs a job. The instances of a chunk are stored before anything is done to them, so that a repeat acts on the same ones. */
export async function runBulk(
  host: BulkHost,
  event: WorkflowEvent<unknown>,
  step: WorkflowStep,
): Promise<unknown> {
  const first = await step.do("count", () => countFirst(host, event));
  const state: Position = { ...first, after: null };
  return step.loop("chunks", {
    state,
    commitEvery: 1,
    keep: 0,
    run: async (own, { after, ...progress }: Position) => {
      const { items, next } = await own.do("look", () => look(host, event, after));
      const reached =
        items.length === 0
          ? progress
          : await own.do("act", () => actOnAll(host, event, { items, progress }));
      return next === null ? Loop.break(reached) : Loop.continue({ ...reached, after: next });
    },
  });
}

/** Counts how many instances there are to reach. */
async function countFirst(host: BulkHost, event: Event): Promise<Progress> {
  const job = toJob(host, event);
  job.countTrips(2);
  const { count: total, isCapped } = await countMatching(job.context.store, job.request);
  const progress = { total, isCapped, done: 0, refused: 0, refusedByCode: {}, refusals: [] };
  await tell(job, progress);
  return progress;
}

/** Finds the next instances. @param from the position to continue after */
async function look(host: BulkHost, event: Event, from: PagePosition | null): Promise<Chunk> {
  const job = toJob(host, event);
  const pageSize = job.isCounted ? CHUNK_OF_TRIPS : CHUNK;
  const request = { ...job.request, pageSize, maxPayloadBytes: 0 };
  let after = from;
  for (let looks = 1; ; looks += 1) {
    job.countTrips(1);
    const { items, next } = await job.context.store.findInstances({ ...request, after });
    if (items.length > 0 || next === null || looks === MAX_LOOKS)
      return { items: items.map((item) => toItem(job, item)), next };
    after = next;
  }
}

function toItem({ act, startedAt }: BulkJob, instance: InstanceRecord): BulkItem {
  const { workflowName, instanceId, runNumber, status } = instance;
  const hasChanged = AT_REST.includes(status) && lastEndOf(instance) > startedAt;
  const refusal: ErrorCode | null = hasChanged ? "STATUS_MISMATCH" : findRefusal(act, instance);
  return { workflowName, instanceId, runNumber, refusal };
}

/** Acts on a chunk. @param chunk.progress before it @returns the progress after it */
async function actOnAll(
  host: BulkHost,
  event: Event,
  chunk: { readonly items: readonly BulkItem[]; readonly progress: Progress },
): Promise<Progress> {
  const job = toJob(host, event);
  const { items } = chunk;
  job.countTrips(items.length + 1);
  const { callsAtOnce = 2 } = job.context.store;
  let { progress } = chunk;
  for (let at = 0; at < items.length; at += callsAtOnce) {
    const group = items.slice(at, at + callsAtOnce);
    const codes = await Promise.all(group.map((item) => actOn(job, item)));
    progress = group.reduce((so, item, index) => add(so, item, codes[index] ?? null), progress);
  }
  await tell(job, progress);
  return progress;
}

function add(
  progress: Progress,
  { workflowName, instanceId: id }: BulkItem,
  code: string | null,
): Progress {
  if (code === null) return { ...progress, done: progress.done + 1 };
  const { refused, refusedByCode, refusals } = progress;
  return {
    ...progress,
    refused: refused + 1,
    refusedByCode: { ...refusedByCode, [code]: (refusedByCode[code] ?? 0) + 1 },
    refusals: refusals.length < MAX_REFUSALS ? [...refusals, { workflowName, id, code }] : refusals,
  };
}

/** Stores the progress so that callers can see it. A process that has lost the job may store it late, but the output has the final result. */
async function tell({ context, id, act, filter }: BulkJob, progress: Progress): Promise<void> {
  const memo = toMemo({ act, filter, progress: toShownProgress(progress) });
  await context.store.update({
    workflowName: BULK_WORKFLOW,
    instanceId: id,
    ifRunNumber: null,
    ifStatus: null,
    controlKey: null,
    facts: { memo },
  });
}
