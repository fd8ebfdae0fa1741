/** What a session has decided and not committed. */
import { isSettled } from "../core/history/history.ts";
import type {
  Change,
  ChildCreated,
  EventReplied,
  StepChange,
  StepsTrimmed,
  StepWrite,
} from "../core/model/change.ts";
import type { EpochMs, EventRecord } from "../core/model/records.ts";
import type { StepType } from "../core/model/status.ts";
import { isInLoop, loopsOf, toUndoKey } from "../core/step-key.ts";
import { EventWaits } from "./event-waits.ts";
import type { KnownRun } from "./known-run.ts";
import { groupByCarrier, isCarrier } from "./name-carriers.ts";
import { PendingChildren } from "./pending-children.ts";
import type { AttemptFailed } from "./notices.ts";
import type { PendingMessages } from "./pending-messages.ts";
import type { PendingProgress } from "./pending-progress.ts";
import type { Undos } from "./undos.ts";

/** Notes what goes with the step that it is: a message, or an entry of progress. */
export type Carry = (pending: PendingChanges) => void;

// Shared, since most commits of most runs need none of their own.
const NOTHING: ReadonlyMap<string, StepWrite> = new Map();
const NONE: ReadonlySet<string> = new Set();
const NO_KEYS: readonly string[] = [];

/** What is committed without waiting for more: code that settles steps without a commit may go on for long. */
const DUE_STEPS = 1000;

const SAYS_NOTHING_NEW: ReadonlySet<StepType> = new Set(["version", "progress"]);

export class PendingChanges {
  readonly #known: KnownRun;
  readonly #undos: Pick<Undos, "find">;
  #steps = new Map<string, StepWrite>();
  #consumed: Extract<Change, { kind: "eventConsumed" }>[] = [];
  #replies: EventReplied[] = [];
  /** null: none was ever emitted. */
  messages: PendingMessages | null = null;
  /** Entries that wait to be committed; null: none was ever made. */
  progress: PendingProgress | null = null;
  /** Attempts that failed since the last commit. null: nobody is told, or none did. */
  #failed: AttemptFailed[] | null = null;
  /** What the commit under way carries. */
  #underWay: ReadonlyMap<string, StepWrite> = NOTHING;
  /** null: none was started. */
  #children: PendingChildren | null = null;
  /** null: none, as in runs without loops. */
  #trimmed: Set<string> | null = null;
  /** Version of each step's next write, of those that have been written or have an outcome. */
  readonly #versions = new Map<string, number>();
  readonly #eventWaits = new EventWaits();

  constructor(known: KnownRun, undos: Pick<Undos, "find">) {
    this.#known = known;
    this.#undos = undos;
    for (const step of known.openRecords) this.#eventWaits.note(step);
  }

  /** Notes a step's next state. @param child that it starts */
  add(step: StepWrite, child?: ChildCreated): void {
    this.#steps.set(step.stepKey, step);
    if (step.type === "invoke") (this.#children ??= new PendingChildren()).note(step, child);
    this.#eventWaits.note(step);
  }

  /** Notes a step's outcome and makes it known at once. */
  addSettled(step: StepWrite): void {
    this.add(step);
    const version = this.#nextVersion(step) ?? 0;
    this.#versions.set(step.stepKey, version);
    this.#known.remember(step, version, this.#known.now);
  }

  consume(event: Pick<EventRecord, "id">, stepKey: string): void {
    this.#known.events.take(event.id);
    this.#consumed.push({ kind: "eventConsumed", eventId: event.id, stepKey });
  }

  reply(change: EventReplied): void {
    this.#replies.push(change);
  }

  noteFailed(attempt: AttemptFailed): void {
    (this.#failed ??= []).push(attempt);
  }

  /** How many failed attempts a commit made now implies. */
  get failedCount(): number {
    return this.#failed?.length ?? 0;
  }

  /** They were committed, and are told. */
  takeFailed(count: number): readonly AttemptFailed[] {
    return this.#failed?.splice(0, count) ?? [];
  }

  /** What waits is as much as one commit is to carry. */
  get isDue(): boolean {
    const isFull = this.progress?.isDue === true || this.messages?.isDue === true;
    return isFull || this.#steps.size >= DUE_STEPS;
  }

  /** Whether a step's next state waits to be committed: what is known of it is the state before. */
  has(stepKey: string): boolean {
    return this.#steps.has(stepKey);
  }

  /** The last state that is not known to be committed: it waits, or its commit is under way. null: all is known. */
  find(stepKey: string): StepWrite | null {
    return this.#steps.get(stepKey) ?? this.#underWay.get(stepKey) ?? null;
  }

  /** Whether it is the step's outcome that waits. */
  settles(stepKey: string): boolean {
    const step = this.#steps.get(stepKey);
    return step !== undefined && isSettled(step);
  }

  /** Steps that wait to be written and have no outcome. */
  get open(): readonly StepWrite[] {
    return [...this.#steps.values()].filter((step) => !isSettled(step));
  }

  /** A step's body has ended, one way or another. */
  get hasResult(): boolean {
    return this.#some((step) => step.type === "do" && step.status !== "running");
  }

  /** A wait is new, or a reply is waited for: the row must be written though bodies are in flight. */
  get hasNewWait(): boolean {
    return this.#replies.length > 0 || this.#some((step) => step.status === "waiting");
  }

  /**
   * The commit will settle a step of which author code was told something: a version says what it would say again, and progress
   * says nothing.
   */
  get hasSettled(): boolean {
    return this.#some((step) => isSettled(step) && !SAYS_NOTHING_NEW.has(step.type));
  }

  /** It will settle one on whose row a step's name can stand for as long as it is needed. */
  canCarryName(stepKey: string): boolean {
    return this.#some((step) => isCarrier(step, stepKey));
  }

  /** Types of events that open waits ask for. */
  get awaitedTypes(): readonly string[] {
    return this.#eventWaits.types;
  }

  /**
   * Takes everything, to be committed.
   *
   * @param startedKeys see `StepChange`; each by `canCarryName`
   * @param recordsAll the commit records every attempt that is under way; else the progress of those that it does not stays
   */
  take(startedKeys: readonly string[], recordsAll: boolean = true): readonly Change[] {
    const names =
      startedKeys.length === 0 ? null : groupByCarrier([...this.#steps.values()], startedKeys);
    const steps: StepChange[] = [];
    for (const step of this.#steps.values())
      steps.push(this.#toChange(step, this.#withUndoKey(step, names?.get(step) ?? NO_KEYS)));
    const changes: Change[] = steps.map((change) => this.#withLoops(change));
    for (const others of [this.#consumed, this.#replies, this.messages?.take() ?? []])
      for (const change of others) changes.push(change);
    if (this.#children !== null) changes.push(...this.#children.take());
    if (this.progress !== null)
      for (const entry of this.progress.take(recordsAll ? null : this.#steps)) changes.push(entry);
    if (this.#trimmed !== null)
      changes.push({ kind: "stepsTrimmed", stepKeys: [...this.#trimmed] });
    this.#underWay = this.#steps;
    this.#steps = new Map();
    if (this.#consumed.length > 0) this.#consumed = [];
    if (this.#replies.length > 0) this.#replies = [];
    this.#trimmed = null;
    return changes;
  }

  /** What a commit carried is known from now on. @param madeAt of the rows that are new @default now */
  applied(changes: readonly Change[], now: EpochMs, madeAt?: EpochMs): void {
    this.#underWay = NOTHING;
    const removed = trimmedBy(changes);
    // A loop may have as many iterations as it likes: nothing is kept of each.
    for (const stepKey of removed) this.#versions.delete(stepKey);
    for (const change of changes) {
      if (change.kind === "eventReplied") this.#known.replies?.noteReply(change.eventId);
      if (change.kind === "eventConsumed") this.#known.events.forget(change.eventId);
      if (change.kind === "progressMade") this.#known.streamed();
      if (change.kind !== "step") continue;
      const { stepKey } = change.step;
      if (this.has(stepKey) || this.#trimmed?.has(stepKey) === true || removed.has(stepKey))
        continue;
      const before = this.#known.recordOf(stepKey);
      // An outcome was known as soon as it was there.
      if (before === null || !isSettled(before))
        this.#known.remember(change.step, change.version, now, madeAt);
    }
  }

  /** Takes back what a commit that was refused carried, but for some steps and their events. */
  restore(changes: readonly Change[], except: ReadonlySet<string>): void {
    this.#underWay = NOTHING;
    for (const change of changes) {
      if (change.kind === "step" && !except.has(change.step.stepKey)) {
        if (!this.has(change.step.stepKey)) this.add(change.step);
      } else if (change.kind === "eventConsumed" && !except.has(change.stepKey)) {
        this.consume({ id: change.eventId }, change.stepKey);
      } else if (change.kind === "eventReplied") this.reply(change);
    }
    this.messages?.restore(changes);
    this.progress?.restore(changes.filter((change) => change.kind === "progressMade"));
    this.#children?.restore(changes);
    this.trim(trimmedBy(changes));
  }

  /** The rows of steps that a loop does without go with the next commit. */
  trim(stepKeys: Iterable<string>): void {
    this.#known.forget(stepKeys);
    for (const stepKey of stepKeys) (this.#trimmed ??= new Set()).add(stepKey);
  }

  /** A wait that has ended did not end after all. @returns false: a commit has taken its events, or it had none */
  releaseEventsOf(stepKey: string): boolean {
    const isOf = (change: { readonly stepKey: string }): boolean => change.stepKey === stepKey;
    const released = this.#consumed.filter(isOf);
    this.#consumed = this.#consumed.filter((change) => !isOf(change));
    for (const { eventId } of released) this.#known.events.release(eventId);
    return released.length > 0;
  }

  #toChange(step: StepWrite, startedKeys: readonly string[]): StepChange {
    const version = this.#nextVersion(step) ?? 0;
    this.#versions.set(step.stepKey, version + 1);
    return { kind: "step", step, version, startedKeys };
  }

  /** Once all writes of the commit have their versions. A loop that has ended removes nothing more, and its version is not known. */
  #withLoops(change: StepChange): StepChange {
    if (!isInLoop(change.step.stepKey)) return change;
    const loops = [...loopsOf(change.step.stepKey)].flatMap((stepKey) => {
      const version = this.#nextVersion({ stepKey });
      return version === null ? [] : { stepKey, version: version - 1 };
    });
    return { ...change, loops };
  }

  /** A step that completed names its undo, so that code without it is found out. */
  #withUndoKey({ stepKey, status }: StepWrite, names: readonly string[]): readonly string[] {
    const hasUndo = status === "completed" && this.#undos.find(stepKey) !== null;
    return hasUndo ? [toUndoKey(stepKey), ...names] : names;
  }

  /** null: of a step that an earlier session has settled. */
  #nextVersion({ stepKey }: Pick<StepWrite, "stepKey">): number | null {
    const next = this.#versions.get(stepKey);
    if (next !== undefined) return next;
    const record = this.#known.recordOf(stepKey);
    if (record === null) return 0;
    return "version" in record ? record.version + 1 : null;
  }

  #some(predicate: (step: StepWrite) => boolean): boolean {
    for (const step of this.#steps.values()) if (predicate(step)) return true;
    return false;
  }
}

function trimmedBy(changes: readonly Change[]): ReadonlySet<string> {
  if (!changes.some(isTrim)) return NONE;
  return new Set(changes.filter(isTrim).flatMap(({ stepKeys }) => stepKeys));
}

const isTrim = (change: Change): change is StepsTrimmed => change.kind === "stepsTrimmed";
