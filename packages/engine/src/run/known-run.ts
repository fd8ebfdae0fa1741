/** What a session knows of its run: its steps, its events, and the database's time, as last heard. */
import { createHistory, type History, isSettled } from "../core/history/history.ts";
import type * as Loops from "../core/history/loops.ts";
import { type Late, late, there } from "../core/late.ts";
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
import { HeardEvents } from "./heard-events.ts";
import { RunClock } from "./run-clock.ts";
import type { SessionOptions } from "./session-options.ts";

/** Is there before a run is known whose history has loops. */
export const loopCode: Late<typeof Loops> = late(() => import("../core/history/loops.ts"));

export const hasLoops = ({ settled, open }: Pick<ClaimedRun, "settled" | "open">): boolean =>
  settled.some(isLoop) || open.some(isLoop);

const isLoop = ({ type }: HistoryStep): boolean => type === "loop";

export class KnownRun {
  readonly history: History;
  /** Settled steps that replay goes through, in order: all but those that loops have left behind. */
  readonly replayed: readonly SettledStep[];
  /** `eventsOf` them, where waits ask for some. */
  events: HeardEvents;
  /** How the run is to end, as last heard. */
  endRequested: EndRequest | null;
  readonly clock: RunClock;
  /** Replies to its events; null: there was none, and nobody waits for one. */
  replies: EventReplies | null = null;
  readonly #host: Pick<Host, "elapsedMs">;
  readonly #records: Map<string, HistoryStep>;
  readonly #openKeys: Set<string>;
  readonly #isBehind: ((stepKey: string) => boolean) | null;
  #now: EpochMs;
  /** When `now` was heard, by the process's monotonic clock. */
  #heardAtMs: number;
  #readNames: Names | null = null;
  /** Who waits until a commit has added to the instance's stream. */
  readonly onStreamed: (() => void)[] = [];

  constructor(
    host: Pick<Host, "elapsedMs">,
    claimed: ClaimedRun,
    { now, heardAtMs }: Pick<SessionOptions, "now" | "heardAtMs">,
  ) {
    this.#host = host;
    const loops = hasLoops(claimed) ? there(loopCode) : null;
    this.history = createHistory(claimed.settled, claimed.open, loops?.orderBefore);
    this.#records = this.history.byKey;
    const isBehind = loops?.createBehindLoops([claimed.settled, claimed.open]) ?? null;
    this.#isBehind = isBehind;
    const ahead = <T extends { readonly stepKey: string }>(steps: readonly T[]): readonly T[] =>
      isBehind === null ? steps : steps.filter(({ stepKey }) => !isBehind(stepKey));
    this.replayed = ahead(claimed.settled);
    this.#openKeys = new Set(ahead(claimed.open).map(({ stepKey }) => stepKey));
    this.#now = now;
    this.#heardAtMs = heardAtMs;
    this.events = new HeardEvents(claimed);
    this.endRequested = claimed.endRequested;
    this.clock = new RunClock(claimed, this.history, () => this.estimateNow());
  }

  /** Database time as last heard. */
  get now(): EpochMs {
    return this.#now;
  }

  /** How long until a database instant, as far as the process can tell. */
  estimateMsUntil(at: EpochMs): number {
    return at - this.estimateNow();
  }

  /** Database time as far as the process can tell: behind by the time that the last answer took to come. */
  estimateNow(): EpochMs {
    return this.#now + this.#host.elapsedMs() - this.#heardAtMs;
  }

  /** Whether a rollback that was asked for has closed a step: it tells author code nothing, nor does a replay of it. */
  isUntold({ status }: Pick<HistoryStep, "status">): boolean {
    return status === "cancelled" && this.endRequested === "rollback";
  }

  recordOf(stepKey: string): HistoryStep | null {
    return this.#records.get(stepKey) ?? null;
  }

  /** The same for a step that is to be decided; null also when it is settled. */
  openRecordOf(stepKey: string): StepRecord | null {
    const record = this.recordOf(stepKey);
    return record === null || isSettled(record) ? null : record;
  }

  /** When time ends what an open step waits for; Infinity: never, or it is not known yet. */
  wakeAtOf(stepKey: string): EpochMs {
    const record = this.openRecordOf(stepKey);
    return record?.nextRetryAt ?? record?.wakeAt ?? Infinity;
  }

  /** Steps that have a row and no outcome. */
  get openRecords(): readonly StepRecord[] {
    return [...this.#openKeys].flatMap((stepKey) => this.openRecordOf(stepKey) ?? []);
  }

  /** Keys of all steps that have a row, or will have one with the next commit. */
  get stepKeys(): Iterable<string> {
    return this.#records.keys();
  }

  /** Their rows go. */
  forget(stepKeys: Iterable<string>): void {
    for (const stepKey of stepKeys) {
      this.#records.delete(stepKey);
      this.#openKeys.delete(stepKey);
      this.forgetName(stepKey);
    }
  }

  /** That the step was named is of no interest any more. */
  forgetName(stepKey: string): void {
    this.names.started.delete(stepKey);
  }

  /** Whether an earlier commit named the step as about to start, and nothing was heard of it since. */
  wasNamed(stepKey: string): boolean {
    return this.names.started.has(stepKey) && this.recordOf(stepKey) === null;
  }

  /** Steps of which nothing is known but that a commit named them so. */
  get namedKeys(): readonly string[] {
    return [...this.names.started].filter((stepKey) => this.wasNamed(stepKey));
  }

  /** What rows of settled steps name. */
  get names(): Names {
    return (this.#readNames ??= readNames(this.history, this.#isBehind));
  }

  /** A step's next state is known. @param version of the write that says so @param madeAt of a row that was not there */
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
    this.#heardAtMs = this.#host.elapsedMs();
  }
}

type OutcomeWrite = StepWrite & Pick<SettledStep, "settledOrder" | "status">;

const isOutcome = (step: StepWrite): step is OutcomeWrite => step.settledOrder !== null;

/** The same as a later claim would read it. */
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

/** What rows of settled steps name. */
export interface Names {
  /** Steps that were about to start. */
  readonly started: Set<string>;
  /** Steps that had an undo. */
  readonly undoable: ReadonlySet<string>;
}

/** @param isBehind what a loop has left behind, and may have removed the row of; null: nothing */
function readNames({ settled }: History, isBehind: ((stepKey: string) => boolean) | null): Names {
  const started = new Set<string>();
  const undoable = new Set<string>();
  for (const { stepKey, startedKeys } of settled) {
    if (startedKeys === null) continue;
    const undoKey = toUndoKey(stepKey);
    for (const key of JSON.parse(startedKeys) as readonly string[])
      // Named once more, the undo was about to start.
      if (key === undoKey && !undoable.has(stepKey)) undoable.add(stepKey);
      else if (isBehind?.(key) !== true) started.add(key);
  }
  return { started, undoable };
}
