/** `step.do`, `sleep`, `sleepUntil`, `waitForEvent`, `tryWaitForEvent` as workflow code sees them. */
import type {
  ReceivedEvent,
  WaitForEventOptions,
  WorkflowStep,
  WorkflowStepConfig,
} from "../authoring/step.ts";
import type { When } from "../core/model/change.ts";
import { assertDeclared, type RegisteredWorkflow } from "../authoring/registry.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import {
  type ResolvedStepConfig,
  resolveStepConfig,
  RETRIES_OPTIONS,
} from "../authoring/step-config.ts";
import type { WorkflowDuration } from "../core/duration.ts";
import { type DoBody, toDoDecision } from "./do-step.ts";
import { Occurrences } from "./occurrences.ts";
import { createOpenCall, type StepKind, unlinked } from "./open-call.ts";
import type { Session } from "./session.ts";
import { sleepFor, sleepTo, toSleepDecision } from "./sleep-step.ts";
import { timeoutAsNull, toReceivedEvent, toWaitCommand, toWaitDecision } from "./wait-step.ts";

/** Whether author code has called the step and has not been told its outcome yet. */
function isCalled({ calls, known, order }: Session, stepKey: string): boolean {
  const settledOrder = known.recordOf(stepKey)?.settledOrder ?? null;
  return calls.has(stepKey) || (settledOrder !== null && order.isWaiting(settledOrder));
}

/** Every option of `step.do`; the last one is for steps that write into other tables, as is the last one of waits. */
const DO_OPTIONS: Readonly<Record<keyof WorkflowStepConfig | "onTerminalError", 1>> = {
  retries: 1,
  timeout: 1,
  onTerminalError: 1,
};

const WAIT_OPTIONS: Readonly<Record<keyof WaitForEventOptions | "onConsume", 1>> = {
  type: 1,
  timeout: 1,
  since: 1,
  onConsume: 1,
};

/** The steps of a session, as workflow code sees them. */
export function createStepScope(session: Session, workflow: RegisteredWorkflow): WorkflowStep {
  const isInFlight = (stepKey: string): boolean => isCalled(session, stepKey);
  const open = createOpenCall(session, new Occurrences(workflow.repeatedNames, isInFlight));
  const doKind = createDoKind(session, workflow);
  const sleepKind = createSleepKind(session, (duration: WorkflowDuration) =>
    sleepFor(session, duration),
  );
  const sleepUntilKind = createSleepKind(session, (timestamp: Date | number) =>
    sleepTo(session, timestamp),
  );
  const waitKind = createWaitKind(session, workflow);
  const wait = (name: string, options: WaitForEventOptions): Promise<ReceivedEvent<unknown>> =>
    unlinked(open(waitKind, name, options).then(toReceivedEvent));
  return {
    do: (name: string, first: WorkflowStepConfig | DoBody, second?: DoBody) =>
      typeof first === "function"
        ? open(doKind, name, { body: first })
        : open(doKind, name, { options: first, body: second as DoBody }),
    sleep: (name, duration) => open(sleepKind, name, duration),
    sleepUntil: (name, timestamp) => open(sleepUntilKind, name, timestamp),
    waitForEvent: wait,
    tryWaitForEvent: (name: string, options: WaitForEventOptions) =>
      unlinked(wait(name, options).catch(timeoutAsNull)),
  } as WorkflowStep;
}

interface GivenDo {
  readonly options?: WorkflowStepConfig;
  readonly body: DoBody;
}

const createDoKind = (
  session: Session,
  workflow: RegisteredWorkflow,
): StepKind<GivenDo, ResolvedStepConfig> => ({
  type: "do",
  check: ({ options }) =>
    options === undefined ? workflow.stepConfig : resolveStepConfig(workflow.stepDefaults, options),
  toDecide(identity, config, { options, body }) {
    assertKnownOptions("step.do", options, DO_OPTIONS);
    assertKnownOptions("retries", options?.retries, RETRIES_OPTIONS);
    session.transactions?.expect(workflow, identity.stepKey, options ?? {});
    return toDoDecision(session, { identity, config, body });
  },
});

const createSleepKind = <T>(session: Session, check: (given: T) => When): StepKind<T, When> => ({
  type: "sleep",
  check,
  toDecide: (identity, wake) => toSleepDecision(session, { ...identity, wake }),
});

const createWaitKind = (
  session: Session,
  workflow: RegisteredWorkflow,
): StepKind<WaitForEventOptions, ReturnType<typeof toWaitCommand>> => ({
  type: "waitForEvent",
  check: (options) => toWaitCommand(session, options),
  toDecide(identity, command, options) {
    assertKnownOptions("waitForEvent", options, WAIT_OPTIONS);
    // A wait that history has open was asked for by earlier code, and goes on.
    const record = session.known.openRecordOf(identity.stepKey);
    if (record?.waitEventType !== command.eventType) assertDeclared(workflow, command.eventType);
    session.transactions?.expect(workflow, identity.stepKey, options);
    return toWaitDecision(session, { ...identity, ...command });
  },
});
