/** Pending changes that few runs have besides steps: events taken, replies, messages, children, progress, and rows to remove. */
import type {
  Change,
  ChildCreated,
  EventReplied,
  StepsTrimmed,
  StepWrite,
} from "../core/model/change.ts";
import { toLimits } from "../core/default-limits.ts";
import type { RunLimits } from "../core/limits.ts";
import type { EventRecord } from "../core/model/records.ts";
import { eventsOf } from "./known-events.ts";
import type { KnownRun } from "./known-run.ts";
import type { AttemptFailed } from "./notices.ts";
import { PendingChildren } from "./pending-children.ts";
import { PendingMessages } from "./pending-messages.ts";
import { PendingProgress } from "./pending-progress.ts";

type EventConsumed = Extract<Change, { kind: "eventConsumed" }>;

export class OtherPending {
  readonly messages: PendingMessages = new PendingMessages();
  /** Entries that wait to be committed. */
  readonly progress: PendingProgress = new PendingProgress();
  /** Attempts that failed since the last commit, if there are listeners. */
  readonly failed: AttemptFailed[] = [];
  readonly replies: EventReplied[] = [];
  #consumed: EventConsumed[] = [];
  readonly #known: KnownRun;
  readonly #children = new PendingChildren();
  readonly #trimmed = new Set<string>();
  #emittedCount = 0;

  constructor(known: KnownRun) {
    this.#known = known;
  }

  /** Notes the next state of a step. @param child that it starts */
  note(step: StepWrite, child: ChildCreated | undefined): void {
    if (step.type === "invoke") this.#children.note(step, child);
  }

  /** There is as much as one commit should carry. */
  get isDue(): boolean {
    return this.progress.isDue || this.messages.isDue;
  }

  /** There is a reply that somebody may wait for. */
  get hasReply(): boolean {
    return this.replies.length > 0;
  }

  /** Gives an event to a wait, so that no other wait gets it. */
  takeEvent(id: string): void {
    eventsOf(this.#known).take(id);
  }

  /** Makes a taken event available again. */
  releaseEvent(id: string): void {
    eventsOf(this.#known).release(id);
  }

  /** A wait consumes an event with the next commit. */
  consume({ id: eventId }: Pick<EventRecord, "id">, stepKey: string): void {
    this.takeEvent(eventId);
    this.#consumed.push({ kind: "eventConsumed", eventId, stepKey });
  }

  /** Takes back the end of a wait. @returns false: a commit has consumed its events, or it had none */
  releaseEventsOf(stepKey: string): boolean {
    const released = this.#consumed.filter((change) => change.stepKey === stepKey);
    this.#consumed = this.#consumed.filter((change) => change.stepKey !== stepKey);
    for (const { eventId } of released) this.releaseEvent(eventId);
    return released.length > 0;
  }

  /** Removes rows that a loop no longer needs, with the next commit. */
  trim(stepKeys: Iterable<string>): void {
    this.#known.forget(stepKeys);
    for (const stepKey of stepKeys) this.#trimmed.add(stepKey);
  }

  isTrimmed(stepKey: string): boolean {
    return this.#trimmed.has(stepKey);
  }

  /** Takes what the next commit carries. @param recorded see `PendingProgress.take` */
  takeInto(changes: Change[], recorded: { has(stepKey: string): boolean } | null): void {
    const [consumed, replies] = [this.#consumed.splice(0), this.replies.splice(0)];
    for (const taken of [consumed, replies, this.messages.take(), this.#children.take()])
      for (const change of taken) changes.push(change);
    for (const entry of this.progress.take(recorded)) changes.push(entry);
    if (this.#trimmed.size > 0)
      changes.push({ kind: "stepsTrimmed", stepKeys: [...this.#trimmed] });
    this.#trimmed.clear();
  }

  /** Whether as many messages as a topic keeps, or more, were committed under this lease. */
  hasEmittedMany(limits: RunLimits): boolean {
    return this.#emittedCount >= toLimits(limits).maxTopicMessages;
  }

  /** Whether changes may make another run due: a child, or a run that waits for a topic. */
  concernOthers(changes: readonly Change[]): boolean {
    return changes.some(
      (change) =>
        (change.kind === "childCreated" && change.claim === null) ||
        change.kind === "childReleased" ||
        change.kind === "messageEmitted",
    );
  }

  /** Notes changes that were committed. @returns keys of the rows that the commit removed */
  applied(changes: readonly Change[]): ReadonlySet<string> {
    for (const change of changes) {
      if (change.kind === "eventConsumed") eventsOf(this.#known).forget(change.eventId);
      if (change.kind === "messageEmitted") this.#emittedCount += 1;
      if (change.kind === "eventReplied") this.#known.replies?.noteReply(change.eventId);
      if (change.kind === "progressMade")
        for (const tell of this.#known.onStreamed.splice(0)) tell();
    }
    return trimmedBy(changes);
  }

  /** Takes back the changes of a commit that was refused. */
  restore(changes: readonly Change[]): void {
    this.replies.push(...changes.filter((change) => change.kind === "eventReplied"));
    this.messages.restore(changes);
    this.progress.restore(changes.filter((change) => change.kind === "progressMade"));
    this.#children.restore(changes);
    this.trim(trimmedBy(changes));
  }
}

/** What `PendingChanges` has of them. */
interface WithOthers {
  readonly known: KnownRun;
  others: OtherPending | null;
}

/** Returns these changes of a session, and creates the record on first use. */
export const othersOf = (pending: WithOthers): OtherPending =>
  (pending.others ??= new OtherPending(pending.known));

const trimmedBy = (changes: readonly Change[]): ReadonlySet<string> =>
  new Set(changes.filter(isTrim).flatMap(({ stepKeys }) => stepKeys));

const isTrim = (change: Change): change is StepsTrimmed => change.kind === "stepsTrimmed";
