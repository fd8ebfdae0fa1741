/** What a session has decided and not committed yet. */
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

/** Adds what is committed together with a step: a message, or a progress entry. */
export type Carry = (pending: PendingChanges) => void;

// Shared, because most commits do not need a map of their own.
const NOTHING: ReadonlyMap<string, StepWrite> = new Map();
const NONE: ReadonlySet<string> = new Set();
const NO_KEYS: readonly string[] = [];

/** With this many pending steps, a session commits: code may settle steps for a long time without needing a commit. */
const DUE_STEPS = 1000;

const SAYS_NOTHING_NEW: ReadonlySet<StepType> = new Set(["version", "progress"]);

export class PendingChanges {
  readonly known: KnownRun;
  readonly #undos: Pick<Undos, "find">;
  #steps = new Map<string, StepWrite>();
  /** Changes that most runs do not have; null: none yet. */
  others: OtherPending | null = null;
  /** The steps that the commit under way carries. */
  #underWay: ReadonlyMap<string, StepWrite> = NOTHING;
  /** The version of each step's next write, for steps that have been written or have an outcome. */
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

  /** There is as much as one commit should carry. */
  get isDue(): boolean {
    return this.#steps.size >= DUE_STEPS || this.others?.isDue === true;
  }

  /** Whether a step's next state waits to be committed. Until then, its earlier state is the known one. */
  has(stepKey: string): boolean {
    return this.#steps.has(stepKey);
  }

  /** The last state of a step that is not known to be committed: it waits, or its commit is under way. null: none. */
  find(stepKey: string): StepWrite | null {
    return this.#steps.get(stepKey) ?? this.#underWay.get(stepKey) ?? null;
  }

  /** Whether the step's outcome waits to be committed. */
  settles(stepKey: string): boolean {
    const step = this.#steps.get(stepKey);
    return step !== undefined && isSettled(step);
  }

  /** Steps that wait to be written and have no outcome yet. */
  get open(): readonly StepWrite[] {
    return [...this.#steps.values()].filter((step) => !isSettled(step));
  }

  /** There is the outcome of a body, whether it succeeded or failed. */
  get hasResult(): boolean {
    return this.#some((step) => step.type === "do" && step.status !== "running");
  }

  /** There is a new wait, or a reply that somebody waits for: its row must be written although bodies are in flight. */
  get hasNewWait(): boolean {
    return this.others?.hasReply === true || this.#some((step) => step.status === "waiting");
  }

  /**
   * The commit will settle a step whose outcome author code depends on. That excludes a version, which is computed again, and
   * progress, which has no value.
   */
  get hasSettled(): boolean {
    return this.#some((step) => isSettled(step) && !SAYS_NOTHING_NEW.has(step.type));
  }

  /** Whether the commit will settle a step whose row can carry another step's name as long as that is needed. */
  canCarryName(stepKey: string): boolean {
    return this.#some((step) => isCarrier(step, stepKey));
  }

  /** The `waitEventType` of each open wait for events. */
  get awaitedTypes(): readonly string[] {
    return this.#eventWaits.types;
  }

  /**
   * Takes everything, to be committed.
   *
   * @param startedKeys see `StepChange`; each by `canCarryName`
   * @param recordsAll the commit records every attempt that is under way; otherwise progress of unrecorded attempts stays pending
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

  /** Marks changes as committed. @param madeAt when new rows were created @default now */
  applied(changes: readonly Change[], now: EpochMs, madeAt?: EpochMs): void {
    this.#underWay = NOTHING;
    // A loop may have any number of iterations, so nothing is kept per iteration.
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

  /** Called when the commit was refused: its changes are no longer under way. */
  refused(): void {
    this.#underWay = NOTHING;
  }

  #toChange(step: StepWrite, startedKeys: readonly string[]): StepChange {
    const version = this.#nextVersion(step) ?? 0;
    this.#versions.set(step.stepKey, version + 1);
    return { kind: "step", step, version, startedKeys };
  }

  /** Call it when all writes of the commit have versions. A loop that has ended removes nothing more, and has no known version. */
  #withLoops(change: StepChange): StepChange {
    if (!isInLoop(change.step.stepKey)) return change;
    const loops = [...loopsOf(change.step.stepKey)].flatMap((stepKey) => {
      const version = this.#nextVersion({ stepKey });
      return version === null ? [] : { stepKey, version: version - 1 };
    });
    return { ...change, loops };
  }

  /** A completed step names its undo, so that code without that undo can be detected. */
  #withUndoKey({ stepKey, status }: StepWrite, names: readonly string[]): readonly string[] {
    const hasUndo = status === "completed" && this.#undos.find(stepKey) !== null;
    return hasUndo ? [toUndoKey(stepKey), ...names] : names;
  }

  /** null: an earlier session settled the step. */
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
