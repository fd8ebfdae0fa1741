/** What a session knows of its run: its steps, its events, and the database's time, as last heard. */
import { createHistory, type History, isSettled } from "../core/history/history.ts";
import type { StepWrite } from "../core/model/change.ts";
import type { EpochMs, HistoryStep, StepRecord } from "../core/model/records.ts";
import { toStepRecord } from "../core/model/step-record.ts";
import type { Host } from "../ports/host.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import { KnownEvents } from "./known-events.ts";

export class KnownRun {
  readonly history: History;
  readonly events: KnownEvents;
  readonly #host: Pick<Host, "elapsedMs">;
  readonly #records: Map<string, HistoryStep>;
  readonly #openKeys: Set<string>;
  #now: EpochMs;
  /** When `now` was heard, by the process's monotonic clock. */
  #heardAtMs: number;
  #namedKeys: ReadonlySet<string> | null = null;

  constructor(host: Pick<Host, "elapsedMs">, claimed: ClaimedRun, now: EpochMs) {
    this.#host = host;
    this.history = createHistory(claimed.settled, claimed.open);
    this.#records = this.history.byKey;
    this.#openKeys = new Set(claimed.open.map(({ stepKey }) => stepKey));
    this.#now = now;
    this.#heardAtMs = host.elapsedMs();
    this.events = new KnownEvents(claimed);
  }

  /** Database time as last heard. */
  get now(): EpochMs {
    return this.#now;
  }

  /** How long until a database instant, as far as the process can tell; for timers only. */
  estimateMsUntil(at: EpochMs): number {
    return at - this.estimateNow();
  }

  /** Database time as far as the process can tell: behind by the time that the last answer took to come. */
  estimateNow(): EpochMs {
    return this.#now + this.#host.elapsedMs() - this.#heardAtMs;
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

  /** Whether an earlier commit named the step as about to start, and nothing was heard of it since. */
  wasNamed(stepKey: string): boolean {
    this.#namedKeys ??= readNames(this.history);
    return this.#namedKeys.has(stepKey) && this.recordOf(stepKey) === null;
  }

  /** A step's next state is known. @param version of the write that says so @param madeAt of a row that was not there */
  remember(step: StepWrite, version: number, now: EpochMs, madeAt: EpochMs = now): void {
    const createdAt = this.openRecordOf(step.stepKey)?.createdAt ?? madeAt;
    this.#records.set(step.stepKey, toStepRecord(step, { version, createdAt, now }));
    if (step.settledOrder === null) this.#openKeys.add(step.stepKey);
    else this.#openKeys.delete(step.stepKey);
  }

  hearTime(now: EpochMs): void {
    this.#now = Math.max(this.#now, now);
    this.#heardAtMs = this.#host.elapsedMs();
  }
}

function readNames({ settled }: History): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const { startedKeys } of settled) {
    if (startedKeys === null) continue;
    for (const key of JSON.parse(startedKeys) as readonly string[]) keys.add(key);
  }
  return keys;
}
