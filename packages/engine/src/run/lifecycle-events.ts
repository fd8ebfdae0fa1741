/** Turns notices into the events that listeners get. */
import type { Change, StepWrite } from "../core/model/change.ts";
import { unlessNever } from "../core/decide/park.ts";
import { toShownError } from "../core/shown-error.ts";
import type { EpochMs, ErrorRecord, RunRef, StepRecord } from "../core/model/records.ts";
import type { StepType } from "../core/model/status.ts";
import { TOPIC_TASKS } from "../core/engine-names.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import type { LifecycleEvent, LifecycleEvents } from "../ports/lifecycle.ts";
import type { AttemptFailed, CommittedNotice, Notice } from "./notices.ts";

/** Passes an event to its listeners. */
export type Emit = <TEvent extends LifecycleEvent>(
  name: TEvent,
  event: LifecycleEvents[TEvent],
) => void;

/** When each open wait ends by time, by step key; null: never. */
type OpenWaits = Map<string, EpochMs | null>;

const WAITS: ReadonlySet<StepType> = new Set([
  "sleep",
  "waitForEvent",
  "receive",
  "waitForTopic",
  "invoke",
]);

/** @param hasListener whether anybody listens to an event */
export function toEvents(
  emit: Emit,
  hasListener: (name: LifecycleEvent) => boolean,
): (notice: Notice) => void {
  const waits = new WeakMap<ClaimedRun, OpenWaits>();
  const waitsOf = (claimed: ClaimedRun): OpenWaits => {
    const known = waits.get(claimed) ?? openWaits(claimed.open);
    waits.set(claimed, known);
    return known;
  };
  return (notice) => {
    if (isOfTopic(notice)) return;
    if (notice.kind !== "committed") return tellSimple(emit, notice);
    tellSteps(emit, notice);
    if (hasListener("waitBegun") || hasListener("waitEnded"))
      tellWaits(emit, notice, waitsOf(notice.claimed));
    tellOutcome(emit, notice);
  };
}

/** Topic deliveries are claimed like runs, but are not runs. */
function isOfTopic(notice: Notice): boolean {
  const run = "claimed" in notice ? notice.claimed.run : "run" in notice ? notice.run : null;
  return run?.workflowName === TOPIC_TASKS;
}

function tellSimple(emit: Emit, notice: Exclude<Notice, CommittedNotice>): void {
  switch (notice.kind) {
    case "created":
      return emit("instanceCreated", toRun(notice.run, notice.at));
    case "terminated":
      return emit("instanceEnded", {
        ...toRun(notice.run, notice.at),
        status: "terminated",
        error: null,
        durationMs: null,
      });
    case "opened":
      return tellOpened(emit, notice.claimed, notice.now);
    case "left":
      return emit("runLeft", { ...toRef(notice.claimed.run), end: notice.end });
    case "began":
      return emit("attemptStarted", {
        ...toAttempt(notice.claimed.run, notice.step, notice.now),
        maxAttempts: notice.step.maxAttempts,
      });
    case "claimed":
      return emit("claimed", { at: notice.now, limit: notice.limit, runCount: notice.runCount });
    case "tickBegun":
      return emit("tickBegun", {});
    case "tickEnded": {
      const { processed = 0, steps = 0, moreDue = false } = notice.output ?? {};
      const durationMs = notice.elapsedMs;
      return emit("tickEnded", {
        processed,
        steps,
        moreDue,
        durationMs,
        failed: notice.output === null,
      });
    }
  }
}

function tellOpened(emit: Emit, claimed: ClaimedRun, now: EpochMs): void {
  const { run, isFirst, lostLeases, createdAt } = claimed;
  emit("runClaimed", { ...toRun(run, now), isFirst, lostLeases });
  // A second claim within the same millisecond looks like a first one by its times, but is not.
  const begins = isFirst && claimed.open.length === 0 && lostLeases === 0;
  if (begins) emit("instanceStarted", { ...toRun(run, now), createdAt });
}

function tellSteps(emit: Emit, { claimed, changes, result, failed }: CommittedNotice): void {
  const { now } = result;
  for (const attempt of failed) tellFailed(emit, claimed.run, attempt);
  for (const change of changes) {
    if (isSuccess(change))
      emit("attemptSucceeded", toAttempt(claimed.run, change.step, change.step.updatedAt ?? now));
    if (change.kind === "childCreated" && result.children?.includes(change.taskRowId) === true) {
      const { workflowName, instanceId } = change;
      emit("instanceCreated", toRun({ workflowName, instanceId, runNumber: 1 }, now));
    }
  }
}

function tellOutcome(emit: Emit, { claimed, outcome, result }: CommittedNotice): void {
  const { now } = result;
  const at = toRun(claimed.run, now);
  if (outcome.kind === "park" && !result.paused)
    emit("instanceParked", { ...at, dueAt: unlessNever(result.dueAt) });
  else if (outcome.kind === "retryRun") {
    const { retryCount } = claimed;
    emit("runFailed", { ...at, error: copy(outcome.error), retryCount });
  } else if (outcome.kind in ENDS) {
    const status = ENDS[outcome.kind as keyof typeof ENDS];
    const error = "error" in outcome && outcome.error !== null ? copy(outcome.error) : null;
    const durationMs = Math.max(0, now - claimed.startedAt);
    emit("instanceEnded", { ...at, status, error, durationMs });
  }
}

const ENDS = { complete: "complete", fail: "errored", terminate: "terminated" } as const;

const isSuccess = (change: Change): change is Extract<Change, { kind: "step" }> =>
  change.kind === "step" && change.step.type === "do" && change.step.status === "completed";

function tellFailed(emit: Emit, run: RunRef, { step, error, now }: AttemptFailed): void {
  const next = step.nextRetry;
  emit("attemptFailed", {
    ...toAttempt(run, step, now),
    maxAttempts: step.maxAttempts,
    willRetryInMs: next === null ? null : "at" in next ? next.at - now : next.inMs,
    error: copy(error),
  });
}

function tellWaits(
  emit: Emit,
  { claimed, changes, result: { now } }: CommittedNotice,
  open: OpenWaits,
): void {
  for (const change of changes) {
    if (change.kind !== "step" || !WAITS.has(change.step.type)) continue;
    const { step } = change;
    const { stepKey, type } = step;
    const isOpen = open.has(stepKey);
    if (step.settledOrder === null && !isOpen) {
      const dueAt = dueAtOf(step, now);
      open.set(stepKey, dueAt);
      emit("waitBegun", { ...toRun(claimed.run, now), stepKey, type, dueAt });
    } else if (step.settledOrder !== null && isOpen) {
      const dueAt = open.get(stepKey) ?? null;
      open.delete(stepKey);
      emit("waitEnded", toWaitEnded(claimed.run, step, { dueAt, now }));
    }
  }
}

interface EndOfWait {
  readonly dueAt: EpochMs | null;
  readonly now: EpochMs;
}

function toWaitEnded(
  run: RunRef,
  step: StepWrite,
  { dueAt, now }: EndOfWait,
): LifecycleEvents["waitEnded"] {
  const at = step.updatedAt ?? now;
  const status = step.status as LifecycleEvents["waitEnded"]["status"];
  const errorCode = step.error?.code ?? null;
  const since = status === "cancelled" ? null : endedAt(step, dueAt);
  const latenessMs = since === null ? null : Math.max(0, at - since);
  const { stepKey, type } = step;
  return { ...toRun(run, at), stepKey, type, status, errorCode, latenessMs };
}

/** When a wait's end came about; null: the row does not say. */
function endedAt(
  { type, status, error, result }: StepWrite,
  dueAt: EpochMs | null,
): EpochMs | null {
  if (type === "sleep" || error?.code === "EVENT_TIMEOUT") return dueAt;
  if (type !== "waitForEvent" || status !== "completed" || result === null) return null;
  const { createdAt } = JSON.parse(result) as { readonly createdAt?: unknown };
  return typeof createdAt === "number" ? createdAt : null;
}

const openWaits = (open: readonly StepRecord[]): OpenWaits =>
  new Map(
    open
      .filter(({ type }) => WAITS.has(type))
      .map(({ stepKey, wakeAt }) => [stepKey, unlessNever(wakeAt)]),
  );

const dueAtOf = ({ wake }: StepWrite, now: EpochMs): EpochMs | null =>
  wake === null ? null : unlessNever("at" in wake ? wake.at : now + wake.inMs);

const toRef = ({ workflowName, instanceId, runNumber }: RunRef): RunRef => ({
  workflowName,
  instanceId,
  runNumber,
});

const toRun = (run: RunRef, at: EpochMs): RunRef & { readonly at: EpochMs } => ({
  ...toRef(run),
  at,
});

const toAttempt = (
  run: RunRef,
  { stepKey, attempts, lostAttempts }: StepWrite,
  at: EpochMs,
): LifecycleEvents["attemptSucceeded"] => ({
  ...toRun(run, at),
  stepKey,
  attempt: attempts + lostAttempts,
});

/** Makes a copy for the listener, so that changing it does not affect the run. */
const copy = (error: ErrorRecord): ErrorRecord => structuredClone(toShownError(error));
