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
import { createLateSteps } from "./late-steps.ts";
import { createOpenCall, type StepKind } from "./open-call.ts";
import { createCallScope, type ScopeKind, type StepsAt } from "./open-scope.ts";
import { unlinked } from "./outcome.ts";
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
  const stepsAt: StepsAt = (place) => (place.isShielded ? shielded() : plain)(place);
  const parts = { session, workflow, stepsAt, kinds: createKinds(session, workflow) };
  const plain = createStepsAt(parts, { isShielded: false, shielded: (place) => shielded()(place) });
  let made: StepsAt | null = null;
  const shielded = (): StepsAt =>
    (made ??= createStepsAt(parts, { isShielded: true, shielded: (place) => shielded()(place) }));
  return stepsAt;
}

interface StepsParts {
  readonly session: Session;
  readonly workflow: RegisteredWorkflow;
  /** The steps of places inside. */
  readonly stepsAt: StepsAt;
  readonly kinds: ReturnType<typeof createKinds>;
}

interface Shielding {
  readonly isShielded: boolean;
  /** The shielded steps of the same place. */
  readonly shielded: StepsAt;
}

function createStepsAt(
  { session, workflow, stepsAt, kinds }: StepsParts,
  { isShielded, shielded }: Shielding,
): StepsAt {
  const open = createOpenCall(session, isShielded);
  const callScope = createCallScope(session, stepsAt, isShielded);
  const late = createLateSteps(session, workflow, open);
  return (place) => {
    const scope =
      (kind: ScopeKind) =>
      (name: string, ...given: readonly unknown[]) =>
        callScope(place, kind, name, given);
    const doStep = (name: string, first: StepOptions<unknown> | DoBody, second?: DoBody) =>
      typeof first === "function"
        ? open(place, kinds.do, name, { body: first })
        : open(place, kinds.do, name, { options: first, body: second as DoBody });
    const wait = (name: string, options: WaitForEventOptions): Promise<ReceivedEvent<unknown>> =>
      unlinked(open(place, kinds.wait, name, options)) as Promise<ReceivedEvent<unknown>>;
    return {
      do: doStep,
      sleep: (name, duration) => open(place, kinds.sleep, name, duration),
      sleepUntil: (name, timestamp) => open(place, kinds.sleepUntil, name, timestamp),
      waitForEvent: wait,
      ...late(place),
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
      get shielded() {
        return shielded(place);
      },
    } as WorkflowStep;
  };
}

const createKinds = (session: Session, workflow: RegisteredWorkflow) => ({
  do: createDoKind(session, workflow),
  sleep: createSleepKind(session, (duration: WorkflowDuration) => sleepFor(session, duration)),
  sleepUntil: createSleepKind(session, (timestamp: Date | number) => sleepTo(session, timestamp)),
  wait: createWaitKind(session, workflow),
});

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
  toTold: (value, stepKey) => toReceivedEvent(session, { value, stepKey, index: 0 }),
  toDecide(identity, command, options) {
    assertKnownOptions("waitForEvent", options, WAIT_OPTIONS);
    // A wait that history has open was asked for by earlier code, and goes on.
    const record = session.known.openRecordOf(identity.stepKey);
    if (record?.waitEventType !== command.eventType) assertDeclared(workflow, command.eventType);
    session.transactions?.expect(workflow, identity.stepKey, options);
    return toWaitDecision(session, { ...identity, ...command });
  },
});
