/** The steps of a run as workflow code sees them. */
import type {
  ReceivedEvent,
  RemovedKind,
  StepOptions,
  WaitForEventOptions,
  WorkflowStep,
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
import { attempted } from "./attempted.ts";
import { createOpenCall, type StepKind } from "./open-call.ts";
import { createCallScope, type ScopeKind, type StepsAt } from "./open-scope.ts";
import { unlinked } from "./outcome.ts";
import type { Place } from "./place.ts";
import { repeatablesAt } from "./repeatable.ts";
import type { Session } from "./session.ts";
import { sleepFor, sleepTo, toSleepDecision } from "./sleep-step.ts";
import { passRemoved, pinVersion } from "./versions.ts";
import { timeoutAsNull, toReceivedEvent, toWaitCommand, toWaitDecision } from "./wait-step.ts";

/** Every option of `step.do`; the last one is for steps that write into other tables, as is the last one of waits. */
const DO_OPTIONS: Readonly<Record<keyof StepOptions<unknown> | "onTerminalError", 1>> = {
  retries: 1,
  timeout: 1,
  undo: 1,
  onTerminalError: 1,
};

const WAIT_OPTIONS: Readonly<Record<keyof WaitForEventOptions | "onConsume", 1>> = {
  type: 1,
  timeout: 1,
  since: 1,
  onConsume: 1,
};

/** The steps of a session as workflow code sees them, at any place in the run. */
export function createSteps(session: Session, workflow: RegisteredWorkflow): StepsAt {
  const open = createOpenCall(session);
  const callScope = createCallScope(session, (place) => stepsAt(place));
  const doKind = createDoKind(session, workflow);
  const sleepKind = createSleepKind(session, (duration: WorkflowDuration) =>
    sleepFor(session, duration),
  );
  const sleepUntilKind = createSleepKind(session, (timestamp: Date | number) =>
    sleepTo(session, timestamp),
  );
  const waitKind = createWaitKind(session, workflow);
  const stepsAt = (place: Place): WorkflowStep => {
    const scope =
      (kind: ScopeKind) =>
      (name: string, ...given: readonly unknown[]) =>
        callScope(place, kind, name, given);
    const doStep = (name: string, first: StepOptions<unknown> | DoBody, second?: DoBody) =>
      typeof first === "function"
        ? open(place, doKind, name, { body: first })
        : open(place, doKind, name, { options: first, body: second as DoBody });
    const wait = (name: string, options: WaitForEventOptions): Promise<ReceivedEvent<unknown>> =>
      unlinked(open(place, waitKind, name, options).then(toReceivedEvent));
    return {
      do: doStep,
      sleep: (name, duration) => open(place, sleepKind, name, duration),
      sleepUntil: (name, timestamp) => open(place, sleepUntilKind, name, timestamp),
      waitForEvent: wait,
      tryWaitForEvent: (name: string, options: WaitForEventOptions) =>
        unlinked(wait(name, options).catch(timeoutAsNull)),
      join: scope("join"),
      race: scope("race"),
      map: scope("map"),
      loop: scope("loop"),
      try: scope("try"),
      tryDo: (...call: Parameters<typeof doStep>) => attempted(doStep(...call)),
      ...repeatablesAt(session, place),
      version: (name: string, latest: number) => pinVersion(session, place, name, latest),
      removed: (name: string, kind: RemovedKind) => passRemoved(session, place, name, kind),
    } as WorkflowStep;
  };
  return stepsAt;
}

interface GivenDo {
  readonly options?: StepOptions<unknown>;
  readonly body: DoBody;
}

const createDoKind = (
  session: Session,
  workflow: RegisteredWorkflow,
): StepKind<GivenDo, ResolvedStepConfig> => ({
  type: "do",
  check({ options }, stepKey) {
    if (options === undefined) return workflow.stepConfig;
    const undo = session.undos.note(stepKey, options.undo);
    // What is wrong with it is found out now, and not when it is needed.
    if (undo !== null) resolveStepConfig(workflow.stepDefaults, undo);
    return resolveStepConfig(workflow.stepDefaults, options);
  },
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
