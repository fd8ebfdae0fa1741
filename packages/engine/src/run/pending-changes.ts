/** What a session has decided and not committed. */
import { isSettled } from "../core/history/history.ts";
import type { Change, ChildCreated, StepChange, StepWrite } from "../core/model/change.ts";
import type { EpochMs } from "../core/model/records.ts";
import type { StepType } from "../core/model/status.ts";
import { isInLoop, loopsOf, toUndoKey } from "../core/step-key.ts";
import { EventWaits } from "./event-waits.ts";
import type { KnownRun } from "./known-run.ts";
import { groupByCarrier, isCarrier } from "./name-carriers.ts";
import type { OtherPending } from "./other-pending.ts";
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
  readonly known: KnownRun;
  readonly #undos: Pick<Undos, "find">;
  #steps = new Map<string, StepWrite>();
  /** What most runs have none of; null: there was none yet. */
  others: OtherPending | null = null;
  /** What the commit under way carries. */
  #underWay: ReadonlyMap<string, StepWrite> = NOTHING;
  /** Version of each step's next write, of those that have been written or have an outcome. */
  readonly #versions = new Map<string, number>();
  readonly #eventWaits = new EventWaits();

  constructor(known: KnownRun, undos: Pick<Undos, "find">) {
    this.known = known;
    this.#undos = undos;
    for (const step of known.openRecords) this.#eventWaits.note(step);
  }

  /** Notes a step's next state. @param child that it starts */
  add(step: StepWrite, child?: ChildCreated): void {
    this.#steps.set(step.stepKey, step);
    this.others?.note(step, child);
    this.#eventWaits.note(step);
  }

  /** Notes a step's outcome and makes it known at once. */
  addSettled(step: StepWrite): void {
    this.add(step);
    const version = this.#nextVersion(step) ?? 0;
    this.#versions.set(step.stepKey, version);
    this.known.remember(step, version, this.known.now);
  }

  /** What waits is as much as one commit is to carry. */
  get isDue(): boolean {
    return this.#steps.size >= DUE_STEPS || this.others?.isDue === true;
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
    return this.others?.hasReply === true || this.#some((step) => step.status === "waiting");
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
    this.others?.takeInto(changes, recordsAll ? null : this.#steps);
    this.#underWay = this.#steps;
    this.#steps = new Map();
    return changes;
  }

  /** What a commit carried is known from now on. @param madeAt of the rows that are new @default now */
  applied(changes: readonly Change[], now: EpochMs, madeAt?: EpochMs): void {
    this.#underWay = NOTHING;
    // A loop may have as many iterations as it likes: nothing is kept of each.
    const removed = this.others?.applied(changes) ?? NONE;
    for (const stepKey of removed) this.#versions.delete(stepKey);
    for (const change of changes) {
      if (change.kind !== "step") continue;
      const { stepKey } = change.step;
      if (this.has(stepKey) || this.others?.isTrimmed(stepKey) === true || removed.has(stepKey))
        continue;
      const before = this.known.recordOf(stepKey);
      // An outcome was known as soon as it was there.
      if (before === null || !isSettled(before))
        this.known.remember(change.step, change.version, now, madeAt);
    }
  }

  /** The commit was refused: what it carried is not under way any more. */
  refused(): void {
    this.#underWay = NOTHING;
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
    const record = this.known.recordOf(stepKey);
    if (record === null) return 0;
    return "version" in record ? record.version + 1 : null;
  }

  #some(predicate: (step: StepWrite) => boolean): boolean {
    for (const step of this.#steps.values()) if (predicate(step)) return true;
    return false;
  }
}
