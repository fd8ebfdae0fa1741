/**
 * What retention deletes: it is looked at as it goes, and kept, so that the rest of the oracle reads what was there. Whoever is deleted must
 * have ended long enough ago, and its family with it; nobody else loses a row.
 */
import type { Scheduler } from "../scheduler.ts";
import type { Books } from "./books.ts";
import type { HistoryPage, InstanceRecord, Store } from "./engine-types.ts";
import { isTerminal } from "./statuses.ts";
import type { Subject } from "./subject.ts";

/** All that a store tells of an instance. */
interface Kept {
  readonly instance: InstanceRecord;
  readonly answers: ReadonlyMap<string, unknown>;
}

interface ArchiveOptions {
  readonly books: Books;
  readonly scheduler: Scheduler;
  readonly retentionMs: number;
  /** Those that have a policy. */
  readonly workflowNames: readonly string[];
}

/** A store that answers reads of what was deleted from what it was. */
export function withArchive(subject: Subject, options: ArchiveOptions): Subject {
  const { store } = subject;
  const archive = new Map<string, Kept>();
  const readOr = async (key: string, question: string, ask: () => Promise<unknown>) => {
    const [workflowName = "", instanceId = ""] = key.split("/");
    if ((await store.loadInstance(workflowName, instanceId)) !== null) return ask();
    const kept = archive.get(key);
    return kept?.answers.has(question) ? kept.answers.get(question) : ask();
  };
  const watched: Store = {
    ...store,
    deleteExpired: async (request) => {
      const before = await snapshotAll(store, options.workflowNames);
      const deleted = await store.deleteExpired(request);
      const { count } = deleted;
      const gone = await missingOf(store, before);
      for (const [key, kept] of gone) archive.set(key, kept);
      for (const key of gone.keys()) options.books.deleted.set(key, options.scheduler.now);
      await check(options, {
        before,
        gone,
        count,
        after: await snapshotAll(store, options.workflowNames),
      });
      return deleted;
    },
    loadInstance: async (workflowName, instanceId) =>
      (await store.loadInstance(workflowName, instanceId)) ??
      archive.get(`${workflowName}/${instanceId}`)?.instance ??
      null,
    loadHistory: async (request) =>
      (await readOr(`${request.workflowName}/${request.instanceId}`, questionOf(request), () =>
        store.loadHistory(request),
      )) as Awaited<ReturnType<Store["loadHistory"]>>,
    loadReply: async (request) =>
      (await readOr(
        `${request.workflowName}/${request.instanceId}`,
        `reply ${request.runNumber} ${request.eventId}`,
        () => store.loadReply(request),
      )) as Awaited<ReturnType<Store["loadReply"]>>,
    readProgress: async (request) => {
      const { workflowName, instanceId, after, limit } = request;
      const page = await store.readProgress(request);
      const kept = archive.get(`${workflowName}/${instanceId}`)?.answers.get("progress 0");
      if (page !== null || kept === undefined) return page;
      const all = kept as NonNullable<Awaited<ReturnType<Store["readProgress"]>>>;
      const entries = all.entries.filter(({ sequence }) => sequence > after).slice(0, limit);
      return { ...all, entries };
    },
  };
  return { ...subject, store: watched };
}

const questionOf = ({
  runNumber,
  stepsAfter,
  eventsAfter,
}: Pick<Parameters<Store["loadHistory"]>[0], "runNumber" | "stepsAfter" | "eventsAfter">): string =>
  `history ${runNumber} ${JSON.stringify([stepsAfter, eventsAfter])}`;

/** Of all instances of workflows, by `workflow/id`. */
async function snapshotAll(
  store: Store,
  workflowNames: readonly string[],
): Promise<ReadonlyMap<string, Kept>> {
  const all = new Map<string, Kept>();
  for (const workflowName of workflowNames) {
    const range = { workflowName, status: null, pageSize: 1000, after: null };
    const { items } = await store.listInstances(range);
    for (const { instanceId } of items) {
      const instance = await store.loadInstance(workflowName, instanceId);
      if (instance === null) continue;
      all.set(`${workflowName}/${instanceId}`, {
        instance,
        answers: await answersOf(store, instance),
      });
    }
  }
  return all;
}

/** As `readRuns` and `readStreams` ask. */
async function answersOf(
  store: Store,
  { workflowName, instanceId, runNumber: last }: InstanceRecord,
): Promise<ReadonlyMap<string, unknown>> {
  const answers = new Map<string, unknown>();
  const progress = { workflowName, instanceId, after: 0, limit: 1000 };
  answers.set("progress 0", await store.readProgress(progress));
  for (let runNumber = 1; runNumber <= last; runNumber += 1) {
    const run = { workflowName, instanceId, runNumber };
    for (let position: Position | null = FIRST; position !== null;) {
      const page: HistoryPage = await store.loadHistory({ ...run, pageSize: 100, ...position });
      answers.set(questionOf({ runNumber, ...position }), page);
      for (const { eventId } of page.events.items)
        if (eventId !== null)
          answers.set(`reply ${runNumber} ${eventId}`, await store.loadReply({ ...run, eventId }));
      position = behind(page, position);
    }
  }
  return answers;
}

type Position = Pick<Parameters<Store["loadHistory"]>[0], "stepsAfter" | "eventsAfter">;
const FIRST: Position = { stepsAfter: null, eventsAfter: null };

/** null: there is no more. */
const behind = ({ steps, events }: HistoryPage, { stepsAfter, eventsAfter }: Position) =>
  steps.next === null && events.next === null
    ? null
    : { stepsAfter: steps.next ?? stepsAfter, eventsAfter: events.next ?? eventsAfter };

async function missingOf(
  store: Store,
  before: ReadonlyMap<string, Kept>,
): Promise<ReadonlyMap<string, Kept>> {
  const missing = new Map<string, Kept>();
  for (const [key, kept] of before) {
    const { workflowName, instanceId } = kept.instance;
    if ((await store.loadInstance(workflowName, instanceId)) === null) missing.set(key, kept);
  }
  return missing;
}

interface Deleted {
  readonly before: ReadonlyMap<string, Kept>;
  readonly after: ReadonlyMap<string, Kept>;
  readonly gone: ReadonlyMap<string, Kept>;
  readonly count: number;
}

async function check(
  { books, scheduler, retentionMs }: ArchiveOptions,
  { before, after, gone, count }: Deleted,
): Promise<void> {
  const fail = (detail: string): void => books.report("retention", detail);
  if (gone.size !== count) fail(`${gone.size} instances went, and ${count} were told of`);
  for (const [key, { instance }] of gone) {
    const { status, completedAt } = instance;
    if (!isTerminal(status)) fail(`${key} went, and was ${status}`);
    const sinceMs = scheduler.now - (completedAt ?? Infinity);
    if (!(sinceMs > retentionMs)) fail(`${key} went ${sinceMs} ms after its end`);
  }
  for (const [key, { instance }] of before) {
    const { parent } = instance;
    if (parent === null) continue;
    const parentKey = `${parent.workflowName}/${parent.instanceId}`;
    if (gone.has(parentKey) && !gone.has(key)) fail(`${parentKey} went without ${key}`);
    const isHeld = before.get(parentKey)?.instance.runNumber === parent.runNumber;
    if (gone.has(key) && isHeld && !gone.has(parentKey)) fail(`${key} went before ${parentKey}`);
  }
  for (const [key, kept] of after)
    if (JSON.stringify([...kept.answers]) !== JSON.stringify([...(before.get(key)?.answers ?? [])]))
      fail(`${key} stayed, and is not as it was`);
}
