/** What a session has decided and not committed. */
import { isSettled } from "../core/history/history.ts";
import type { Change, StepChange, StepWrite } from "../core/model/change.ts";
import type { EpochMs, EventRecord } from "../core/model/records.ts";
import type { KnownRun } from "./known-run.ts";

export class PendingChanges {
  readonly #known: KnownRun;
  readonly #steps = new Map<string, StepWrite>();
  #consumed: Extract<Change, { kind: "eventConsumed" }>[] = [];
  /** Version of each step's last write that was taken to be committed. */
  readonly #versions = new Map<string, number>();
  /** Types that waits ask for which an event could end, by step key. */
  readonly #openEventWaits = new Map<string, string>();

  constructor(known: KnownRun) {
    this.#known = known;
    for (const step of known.openRecords) this.#noteEventWait(step);
  }

  /** Notes a step's next state. */
  add(step: StepWrite): void {
    this.#steps.set(step.stepKey, step);
    this.#noteEventWait(step);
  }

  /** Notes a step's outcome and makes it known at once. */
  addSettled(step: StepWrite): void {
    this.add(step);
    this.#known.remember(step, this.#nextVersion(step), this.#known.now);
  }

  consume(event: Pick<EventRecord, "id">, stepKey: string): void {
    this.#known.events.take(event.id);
    this.#consumed.push({ kind: "eventConsumed", eventId: event.id, stepKey });
  }

  /** Whether a step's next state waits to be committed: what is known of it is the state before. */
  has(stepKey: string): boolean {
    return this.#steps.has(stepKey);
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

  /** A wait is new: its row must be written though bodies are in flight. */
  get hasNewWait(): boolean {
    return this.#some((step) => step.status === "waiting");
  }

  /** The commit will settle a step, on whose row names can stand. */
  get canCarryNames(): boolean {
    return this.#some(isSettled);
  }

  /** Types of events that open waits ask for. */
  get awaitedTypes(): readonly string[] {
    return [...this.#openEventWaits.values()];
  }

  /** Takes everything, to be committed. @param startedKeys see `StepChange`; empty unless `canCarryNames` */
  take(startedKeys: readonly string[]): readonly Change[] {
    const steps = [...this.#steps.values()];
    const carrier = startedKeys.length === 0 ? undefined : steps.find(isSettled);
    const changes: readonly Change[] = [
      ...steps.map((step) => this.#toChange(step, step === carrier ? startedKeys : [])),
      ...this.#consumed,
    ];
    this.#steps.clear();
    this.#consumed = [];
    return changes;
  }

  /** What a commit carried is known from now on. @param madeAt of the rows that are new @default now */
  applied(changes: readonly Change[], now: EpochMs, madeAt?: EpochMs): void {
    for (const change of changes) {
      if (change.kind !== "step" || this.has(change.step.stepKey)) continue;
      const before = this.#known.recordOf(change.step.stepKey);
      // An outcome was known as soon as it was there.
      if (before === null || !isSettled(before))
        this.#known.remember(change.step, change.version, now, madeAt);
    }
  }

  /** Takes back what a commit that was refused carried, but for some steps and their events. */
  restore(changes: readonly Change[], except: ReadonlySet<string>): void {
    for (const change of changes) {
      if (change.kind === "step" && !except.has(change.step.stepKey)) {
        if (!this.has(change.step.stepKey)) this.add(change.step);
      } else if (change.kind === "eventConsumed" && !except.has(change.stepKey)) {
        this.consume({ id: change.eventId }, change.stepKey);
      }
    }
  }

  #toChange(step: StepWrite, startedKeys: readonly string[]): StepChange {
    const version = this.#nextVersion(step);
    this.#versions.set(step.stepKey, version);
    return { kind: "step", step, version, startedKeys };
  }

  #nextVersion({ stepKey }: StepWrite): number {
    const before = this.#versions.get(stepKey);
    if (before !== undefined) return before + 1;
    const record = this.#known.recordOf(stepKey);
    return record !== null && "version" in record ? record.version + 1 : 0;
  }

  #noteEventWait({
    type,
    stepKey,
    settledOrder,
    waitEventType,
  }: Pick<StepWrite, "type" | "stepKey" | "settledOrder" | "waitEventType">): void {
    if (type !== "waitForEvent") return;
    if (settledOrder === null && waitEventType !== null)
      this.#openEventWaits.set(stepKey, waitEventType);
    else this.#openEventWaits.delete(stepKey);
  }

  #some(predicate: (step: StepWrite) => boolean): boolean {
    for (const step of this.#steps.values()) if (predicate(step)) return true;
    return false;
  }
}
