/** What a session knows about its run: its steps, its events, and the database's time, from the last answer. */
import { createHistory, type History, isSettled } from "../core/history/history.ts";
import type * as Loops from "../core/history/loops.ts";
import { type Late, late, requireLoaded } from "../core/late.ts";
import type { StepWrite } from "../core/model/change.ts";
import type {
  EndRequest,
  EpochMs,
  HistoryStep,
  SettledStep,
  StepRecord,
} from "../core/model/records.ts";
import { toStepRecord } from "../core/model/step-record.ts";
import { toUndoKey } from "../core/step-key.ts";
import type { Host } from "../ports/host.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import type { EventReplies } from "./event-replies.ts";
import { ObservedEvents } from "./observed-events.ts";
import { RunClock } from "./run-clock.ts";
import type { SessionOptions } from "./session-options.ts";

/** Loaded before a run with loops in its history begins. */
export const loopCode: Late<typeof Loops> = late(() => import("../core/history/loops.ts"));

export const hasLoops = ({ settled, open }: Pick<ClaimedRun, "settled" | "open">): boolean =>
  settled.some(isLoop) || open.some(isLoop);

const isLoop = ({ type }: HistoryStep): boolean => type === "loop";

export class KnownRun {
  readonly history: History;
  /** The settled steps that a replay goes through, in order: all except those that loops have left behind. */
  readonly replayed: readonly SettledStep[];
  /** Use `eventsOf` if waits ask for events. */
  events: ObservedEvents;
  /** How the run was asked to end, from the last answer. */
  endRequested: EndRequest | null;
  readonly clock: RunClock;
  /** Replies to its events; null: there was none, and nobody waits for one. */
  replies: EventReplies | null = null;
  readonly #host: Pick<Host, "elapsedMs">;
  readonly #records: Map<string, HistoryStep>;
  readonly #openKeys: Set<string>;
  readonly #isBehind: ((stepKey: string) => boolean) | null;
  #now: EpochMs;
  /** When `now` was received, by the process's monotonic clock. */
  #observedAtMs: number;
  #readStarted: Set<string> | null = null;
  /** Called when a commit has added to the instance's stream. */
  readonly onStreamed: (() => void)[] = [];

  constructor(
    host: Pick<Host, "elapsedMs">,
    claimed: ClaimedRun,
    { now, observedAtMs }: Pick<SessionOptions, "now" | "observedAtMs">,
  ) {
    this.#host = host;
    this.history = createHistory(claimed.settled, claimed.open, (loop) =>
      requireLoaded(loopCode).orderBefore(loop),
    );
    const loops = this.history.hasLoops ? requireLoaded(loopCode) : null;
    this.#records = this.history.byKey;
    const isBehind = loops?.createIsBehindLoop([claimed.settled, claimed.open]) ?? null;
    this.#isBehind = isBehind;
    const ahead = <T extends { readonly stepKey: string }>(steps: readonly T[]): readonly T[] =>
      isBehind === null ? steps : steps.filter(({ stepKey }) => !isBehind(stepKey));
    this.replayed = ahead(claimed.settled);
    this.#openKeys = new Set(
      ahead(claimed.open)
        .filter(({ type, status }) => type !== "invoke" || status !== "pending")
        .map(({ stepKey }) => stepKey),
    );
    this.#now = now;
    this.#observedAtMs = observedAtMs;
    this.events = new ObservedEvents(claimed);
    this.endRequested = claimed.endRequested;
    this.clock = new RunClock(claimed, this.history, () => this.estimateNow());
  }

  /** The database's time of the last answer. */
  get now(): EpochMs {
    return this.#now;
  }

  /** Estimates how long it is until a database instant. */
  estimateMsUntil(at: EpochMs): number {
    return at - this.estimateNow();
  }

  /** Estimates the database's time. It is behind by the time that the last answer took to arrive. */
  estimateNow(): EpochMs {
    return this.#now + this.#host.elapsedMs() - this.#observedAtMs;
  }

  /** Whether a requested rollback has closed a step. Author code is not told, on a replay neither. */
  isUntold({ status }: Pick<HistoryStep, "status">): boolean {
    return this.endRequested === "rollback" && status === "cancelled";
  }

  recordOf(stepKey: string): HistoryStep | null {
    return this.#records.get(stepKey) ?? null;
  }

  /** The record of an open step; null also if the step is settled. */
  openRecordOf(stepKey: string): StepRecord | null {
    const record = this.recordOf(stepKey);
    return record === null || isSettled(record) ? null : record;
  }

  /** When an open step's wait ends by time; Infinity: never, or it is not known yet. */
  wakeAtOf(stepKey: string): EpochMs {
    const record = this.openRecordOf(stepKey);
    return record?.nextRetryAt ?? record?.wakeAt ?? Infinity;
  }

  /** Steps that have a row and no outcome. One whose next child only has a number has not begun. */
  get openRecords(): readonly StepRecord[] {
    return [...this.#openKeys].flatMap((stepKey) => this.openRecordOf(stepKey) ?? []);
  }

  /** Keys of all steps that have a row, or will have one with the next commit. */
  get stepKeys(): Iterable<string> {
    return this.#records.keys();
  }

  /** Forgets steps whose rows are removed. */
  forget(stepKeys: Iterable<string>): void {
    for (const stepKey of stepKeys) {
      this.#records.delete(stepKey);
      this.#openKeys.delete(stepKey);
      this.forgetName(stepKey);
    }
  }

  /** Forgets that the step was named. */
  forgetName(stepKey: string): void {
    this.#started.delete(stepKey);
  }

  /** Whether an earlier commit named the step as about to start, and nothing has been recorded of it since. */
  wasNamed(stepKey: string): boolean {
    return this.#started.has(stepKey) && this.recordOf(stepKey) === null;
  }

  /** Steps of which nothing is known except that a commit named them. */
  get namedKeys(): readonly string[] {
    return [...this.#started].filter((stepKey) => this.wasNamed(stepKey));
  }

  get #started(): Set<string> {
    return (this.#readStarted ??= readStarted(this.history, this.#isBehind));
  }

  /** Remembers a step's next state. @param version of the write @param madeAt when the row was created, if it is new */
  remember(step: StepWrite, version: number, now: EpochMs, madeAt: EpochMs = now): void {
    const { stepKey } = step;
    if (isOutcome(step)) {
      this.#records.set(stepKey, toSettledStep(step, now));
      this.#openKeys.delete(stepKey);
      return;
    }
    const createdAt = this.openRecordOf(stepKey)?.createdAt ?? madeAt;
    this.#records.set(stepKey, toStepRecord(step, { version, createdAt, now }));
    this.#openKeys.add(stepKey);
  }

  hearTime(now: EpochMs): void {
    this.#now = Math.max(this.#now, now);
    this.#observedAtMs = this.#host.elapsedMs();
  }
}

type OutcomeWrite = StepWrite & Pick<SettledStep, "settledOrder" | "status">;

const isOutcome = (step: StepWrite): step is OutcomeWrite => step.settledOrder !== null;

/** The step as a later claim would read it. */
const toSettledStep = (step: OutcomeWrite, now: EpochMs): SettledStep => ({
  stepKey: step.stepKey,
  type: step.type,
  status: step.status,
  attempts: step.attempts,
  result: step.result,
  error: step.error,
  settledOrder: step.settledOrder,
  updatedAt: step.updatedAt ?? now,
  startedKeys: null,
});

/**
 * The steps that rows of settled steps name as about to start. The first time that a row names its own undo, it says that there
 * is one.
 *
 * @param isBehind whether a loop has left a step behind and may have removed its row; null: there are no such steps
 */
function readStarted(
  { settled }: History,
  isBehind: ((stepKey: string) => boolean) | null,
): Set<string> {
  const started = new Set<string>();
  for (const { stepKey, startedKeys } of settled) {
    if (startedKeys === null) continue;
    const keys = JSON.parse(startedKeys) as readonly string[];
    const undoAt = keys.indexOf(toUndoKey(stepKey));
    for (const [index, key] of keys.entries())
      if (index !== undoAt && isBehind?.(key) !== true) started.add(key);
  }
  return started;
}
