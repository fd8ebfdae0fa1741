/** `step.do`, `sleep`, `sleepUntil`, `waitForEvent` on top of the pure decisions. */
import type { ReceivedEvent, WaitForEventOptions, WorkflowStep } from "../authoring/step.ts";
import { parseDuration, type WorkflowDuration } from "../core/duration.ts";
import { decideSleep } from "../core/decide/sleep.ts";
import type { StepIdentity } from "../core/decide/step-write.ts";
import { decideWaitForEvent, type WaitForEventCommand } from "../core/decide/wait-for-event.ts";
import { WorkflowError } from "../core/errors.ts";
import { parseEventType, parseStepName } from "../core/limits.ts";
import type { When } from "../core/model/change.ts";
import type { StepRecord } from "../core/model/records.ts";
import type { StepType } from "../core/model/status.ts";
import type { WorkflowStepConfig } from "../authoring/step.ts";
import { beginDo, type DoBody } from "./do-step.ts";
import type { Call, Session } from "./session.ts";
import { settleCall } from "./settle-call.ts";

/** The steps of a session, as workflow code sees them. */
export function createStepScope(session: Session, defaults: WorkflowStepConfig): WorkflowStep {
  const sleep = (name: string, toWake: () => When): Promise<void> =>
    openCall(session, { name, type: "sleep" }, (call, identity) =>
      beginSleep(session, call, { ...identity, wake: toWake() }),
    ) as Promise<void>;
  const wait = (name: string, options: WaitForEventOptions): Promise<ReceivedEvent<unknown>> =>
    unlinked(
      openCall(session, { name, type: "waitForEvent" }, (call, identity) =>
        beginWait(session, call, toWaitCommand(session, identity, options)),
      ).then(toReceivedEvent),
    );
  return {
    do: (name: string, first: WorkflowStepConfig | DoBody, second?: DoBody) => {
      const [config, body] = typeof first === "function" ? [{}, first] : [first, second as DoBody];
      return openCall(session, { name, type: "do" }, (call, identity) =>
        beginDo(session, call, { identity, config: [defaults, config], body }),
      );
    },
    sleep: (name, duration) => sleep(name, () => sleepFor(session, duration)),
    sleepUntil: (name, timestamp) => sleep(name, () => sleepTo(session, timestamp)),
    waitForEvent: wait,
    tryWaitForEvent: (name: string, options: WaitForEventOptions) =>
      unlinked(wait(name, options).catch(timeoutAsNull)),
  } as WorkflowStep;
}

interface Opening {
  readonly name: string;
  readonly type: StepType;
}

/** Opens a call: checks the name, refuses a second one in flight, and answers from history what is settled. */
function openCall(
  session: Session,
  { name, type }: Opening,
  begin: (call: Call, identity: StepIdentity) => void,
): Promise<unknown> {
  return unlinked(
    new Promise<unknown>((resolve, reject) => {
      if (session.isOver) return warnAfterEnd(session, name);
      const stepKey = parseStepName(name, session.context.limits);
      const record = session.ledger.recordOf(stepKey);
      const call: Call = { stepKey, resolve, reject };
      if (!isAcceptable(session, { record, stepKey, type })) return;
      session.calls.set(stepKey, call);
      if (record !== null && record.settledOrder !== null) {
        session.order.settleInTurn(record.settledOrder, () => settleCall(session, call, record));
        session.schedule();
        return;
      }
      begin(call, { newId: session.context.host.newId(), stepKey, name: stepKey, type });
      session.schedule();
    }),
  );
}

/** A step that loses a race, or that nobody awaits, must not bring the process down. */
function unlinked<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** @throws {WorkflowError} STEP_KEY_DUPLICATE; other violations fail the run whatever the author catches */
function isAcceptable(
  session: Session,
  {
    record,
    stepKey,
    type,
  }: { readonly record: StepRecord | null; readonly stepKey: string; readonly type: StepType },
): boolean {
  if (session.calls.has(stepKey)) {
    throw new WorkflowError(
      "STEP_KEY_DUPLICATE",
      `step "${stepKey}" is already in flight; give each step its own name`,
      { stepKey },
    );
  }
  if (record !== null && record.type !== type) {
    const message = `step "${stepKey}" is ${type} in the code but ${record.type} in history`;
    session.fail(
      new WorkflowError("HISTORY_DIVERGED", message, {
        stepKey,
        recorded: record.type,
        called: type,
      }),
    );
    return false;
  }
  const { maxStepsPerRun } = session.context.limits;
  if (record === null && type !== "sleep") session.ledger.countedSteps += 1;
  if (record === null && session.ledger.countedSteps > maxStepsPerRun) {
    session.fail(
      new WorkflowError("RUN_STEP_LIMIT", `the run has more than ${maxStepsPerRun} steps`, {
        maxStepsPerRun,
        stepKey,
      }),
    );
    return false;
  }
  return true;
}

function beginSleep(
  session: Session,
  call: Call,
  command: StepIdentity & { readonly wake: When },
): void {
  const decision = decideSleep(session.ledger.recordOf(call.stepKey), command, session.ledger.now);
  if (decision.kind === "over")
    session.settle(call, decision.step, (step) => settleCall(session, call, step));
  if (decision.kind !== "wait") return;
  if (decision.step !== null) session.ledger.write(decision.step);
  const redecide = (): void => beginSleep(session, call, command);
  session.waits.set(call.stepKey, { wake: decision.wake, kind: "wake", redecide });
}

function beginWait(session: Session, call: Call, command: WaitForEventCommand): void {
  const record = session.ledger.recordOf(call.stepKey);
  const decision = decideWaitForEvent(record, command, {
    now: session.ledger.now,
    events: session.ledger.events,
  });
  if (decision.kind === "settled") return;
  if (decision.kind === "wait") {
    if (decision.step !== null) session.ledger.write(decision.step);
    const redecide = (): void => beginWait(session, call, command);
    session.waits.set(call.stepKey, { wake: decision.wake, kind: "wake", redecide });
    return;
  }
  if (decision.kind === "deliver") session.ledger.consume(decision.event, call.stepKey);
  session.settle(call, decision.step, (step) => settleCall(session, call, step));
}

function sleepFor(session: Session, duration: WorkflowDuration): When {
  const inMs = parseDuration(duration, "sleep duration");
  assertSleepLength(session, inMs);
  return { inMs };
}

function sleepTo(session: Session, timestamp: Date | number): When {
  const at = typeof timestamp === "number" ? timestamp : timestamp.getTime();
  if (!Number.isFinite(at)) {
    throw new WorkflowError(
      "INVALID_DURATION",
      `sleepUntil got ${String(timestamp)}; expected a valid Date or epoch milliseconds`,
      { timestamp: String(timestamp) },
    );
  }
  assertSleepLength(session, at - session.ledger.now);
  return { at: Math.round(at) };
}

function assertSleepLength(session: Session, durationMs: number): void {
  const { maxSleepMs } = session.context.limits;
  if (durationMs <= maxSleepMs) return;
  throw new WorkflowError(
    "INVALID_DURATION",
    `a sleep of ${durationMs} ms is longer than the limit of ${maxSleepMs} ms`,
    { durationMs, maxSleepMs },
  );
}

function toWaitCommand(
  session: Session,
  identity: StepIdentity,
  options: WaitForEventOptions,
): WaitForEventCommand {
  const { limits } = session.context;
  const timeoutMs =
    options.timeout === undefined
      ? limits.defaultEventTimeoutMs
      : parseDuration(options.timeout, "timeout");
  const { minEventTimeoutMs: min, maxEventTimeoutMs: max } = limits;
  if (timeoutMs < min || timeoutMs > max) {
    throw new WorkflowError(
      "INVALID_DURATION",
      `an event timeout of ${timeoutMs} ms is outside ${min} to ${max} ms`,
      { timeoutMs, min, max },
    );
  }
  return {
    ...identity,
    eventType: parseEventType(options.type, limits),
    timeoutMs,
    since: options.since ?? "run",
  };
}

function toReceivedEvent(value: unknown): ReceivedEvent<unknown> {
  const stored = value as {
    readonly type: string;
    readonly createdAt: number;
    readonly payload?: unknown;
  };
  return {
    type: stored.type,
    payload: stored.payload as Readonly<unknown>,
    timestamp: new Date(stored.createdAt),
  };
}

function timeoutAsNull(error: unknown): null {
  if (WorkflowError.is(error) && error.code === "EVENT_TIMEOUT") return null;
  throw error;
}

function warnAfterEnd(session: Session, name: string): void {
  const fields = { ...session.claimed.run, stepKey: String(name), code: "FOREIGN_AWAIT" };
  session.context.logger.log("warn", "step.called_after_park", fields);
}
