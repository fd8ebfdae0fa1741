/** What is left of a simulation to be judged: every row of every run, and what the books say. */
import type { Scenario } from "./scenario.ts";
import type { AskRecord } from "./world/asks.ts";
import type { Books } from "./world/books.ts";
import { runIdOf } from "./world/facts.ts";
import type { CallbackUseRecord } from "./world/callbacks.ts";
import type {
  EventRecord,
  HistoryPage,
  InstanceRecord,
  ProgressRecord,
  RunRef,
  StepRecord,
  Store,
} from "./world/engine-types.ts";
import type { Family } from "./world/family.ts";
import type { ReaderRecord } from "./world/readers.ts";
import type { Streams } from "./world/streams.ts";
import type { Topics } from "./world/topics.ts";
import type { World } from "./world/world.ts";

/** One run of an instance, as its rows tell it in the end. */
export interface RunReport {
  readonly runId: string;
  readonly workflow: string;
  readonly instanceId: string;
  readonly runNumber: number;
  readonly isCurrent: boolean;
  /** How its callbacks were used, and what was answered. */
  readonly uses: readonly CallbackUseRecord[];
  readonly steps: readonly StepRecord[];
  readonly events: readonly EventRecord[];
  /** Replies as they are stored, by the senders' own ids. */
  readonly replies: ReadonlyMap<string, string>;
}

export interface Report {
  readonly scenario: Scenario;
  readonly books: Books;
  readonly world: World;
  readonly family: Family;
  readonly topics: Topics;
  readonly streams: Streams;
  readonly readers: readonly ReaderRecord[];
  /** What the store has of each stream, by `workflow/id`. */
  readonly kept: ReadonlyMap<string, readonly ProgressRecord[]>;
  readonly asks: readonly AskRecord[];
  readonly instances: readonly InstanceRecord[];
  readonly runs: readonly RunReport[];
  /** Every instance came to its end in time. */
  readonly isOver: boolean;
  /** A task is left although every instance has ended. */
  readonly hasTask: boolean;
  readonly callCount: number;
  /** Faults that calls met with, as `kind verb`. */
  readonly faultsMet: ReadonlySet<string>;
  /** What became of runs that a call had claimed for a tick. */
  readonly heldMet: ReadonlySet<string>;
  readonly eventCount: number;
  readonly endedAt: number;
}

/** Reads every run of instances, older ones first. @param instances as `workflow/id` */
export async function readRuns(
  store: Store,
  instances: readonly string[],
  usesOf: (runId: string) => readonly CallbackUseRecord[],
): Promise<Pick<Report, "instances" | "runs">> {
  const found: InstanceRecord[] = [];
  const runs: RunReport[] = [];
  for (const key of instances) {
    const [workflow = "", instanceId = ""] = key.split("/");
    const instance = await store.loadInstance(workflow, instanceId);
    if (instance === null) continue;
    found.push(instance);
    for (let runNumber = 1; runNumber <= instance.runNumber; runNumber += 1) {
      const run = { workflowName: workflow, instanceId, runNumber };
      const runId = runIdOf(run);
      const history = await readHistory(store, run);
      const isCurrent = runNumber === instance.runNumber;
      const replies = await readReplies(store, run, history.events);
      runs.push({
        runId,
        uses: usesOf(runId),
        workflow,
        instanceId,
        runNumber,
        isCurrent,
        replies,
        ...history,
      });
    }
  }
  return { instances: found, runs };
}

async function readReplies(
  store: Store,
  run: RunRef,
  events: readonly EventRecord[],
): Promise<ReadonlyMap<string, string>> {
  const replies = new Map<string, string>();
  for (const { eventId } of events) {
    if (eventId === null) continue;
    const found = await store.loadReply({ ...run, eventId });
    if (found.kind === "answered") replies.set(eventId, found.reply);
  }
  return replies;
}

/** Every row of a run, page by page. */
async function readHistory(
  store: Store,
  run: RunRef,
): Promise<{ readonly steps: StepRecord[]; readonly events: EventRecord[] }> {
  const steps: StepRecord[] = [];
  const events: EventRecord[] = [];
  let [stepsAfter, eventsAfter]: HistoryPosition[] = [null, null];
  for (let hasSteps = true, hasEvents = true; hasSteps || hasEvents;) {
    const page = await store.loadHistory({
      ...run,
      pageSize: 100,
      stepsAfter: stepsAfter ?? null,
      eventsAfter: eventsAfter ?? null,
    });
    if (hasSteps) steps.push(...page.steps.items);
    if (hasEvents) events.push(...page.events.items);
    hasSteps &&= page.steps.next !== null;
    hasEvents &&= page.events.next !== null;
    stepsAfter = page.steps.next ?? stepsAfter;
    eventsAfter = page.events.next ?? eventsAfter;
  }
  return { steps, events };
}

type HistoryPosition = HistoryPage["steps"]["next"];

/** Reads all that a store keeps of the progress of instances. */
export async function readStreams(
  store: Store,
  instances: readonly string[],
): Promise<Report["kept"]> {
  const streams = new Map<string, readonly ProgressRecord[]>();
  for (const key of instances) {
    const [workflowName = "", instanceId = ""] = key.split("/");
    const range = { after: 0, limit: 1000 };
    const page = await store.readProgress({ workflowName, instanceId, ...range });
    streams.set(key, page?.entries ?? []);
  }
  return streams;
}
