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
import { resolveStepConfig, RETRIES_OPTIONS } from "../authoring/step-config.ts";
import { type DoBody, toDoDecision } from "./do-step.ts";
import { Occurrences } from "./occurrences.ts";
import { openCall, type Opening, unlinked } from "./open-call.ts";
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
  const { stepConfig, stepDefaults, repeatedNames } = workflow;
  const occurrences = new Occurrences(repeatedNames, (stepKey) => isCalled(session, stepKey));
  const open = (opening: Opening): Promise<unknown> => openCall(session, occurrences, opening);
  const sleep = (name: string, toWake: () => When): Promise<void> =>
    open({
      name,
      type: "sleep",
      check: () => {
        const wake = toWake();
        return (identity) => toSleepDecision(session, { ...identity, wake });
      },
    }) as Promise<void>;
  const wait = (name: string, options: WaitForEventOptions): Promise<ReceivedEvent<unknown>> => {
    const received = open({
      name,
      type: "waitForEvent",
      check: () => {
        const command = toWaitCommand(session, options);
        return (identity) => {
          assertKnownOptions("waitForEvent", options, WAIT_OPTIONS);
          // A wait that history has open was asked for by earlier code, and goes on.
          const record = session.known.openRecordOf(identity.stepKey);
          if (record?.waitEventType !== command.eventType)
            assertDeclared(workflow, command.eventType);
          session.transactions?.expect(workflow, identity.stepKey, options);
          return toWaitDecision(session, { ...identity, ...command });
        };
      },
    });
    return unlinked(received.then(toReceivedEvent));
  };
  return {
    do: (name: string, first: WorkflowStepConfig | DoBody, second?: DoBody) => {
      const isBare = typeof first === "function";
      const body = isBare ? first : (second as DoBody);
      return open({
        name,
        type: "do",
        check: () => {
          const config = isBare ? stepConfig : resolveStepConfig(stepDefaults, first);
          const options: WorkflowStepConfig = isBare ? {} : first;
          return (identity) => {
            assertKnownOptions("step.do", options, DO_OPTIONS);
            assertKnownOptions("retries", options.retries, RETRIES_OPTIONS);
            session.transactions?.expect(workflow, identity.stepKey, options);
            return toDoDecision(session, { identity, config, body });
          };
        },
      });
    },
    sleep: (name, duration) => sleep(name, () => sleepFor(session, duration)),
    sleepUntil: (name, timestamp) => sleep(name, () => sleepTo(session, timestamp)),
    waitForEvent: wait,
    tryWaitForEvent: (name: string, options: WaitForEventOptions) =>
      unlinked(wait(name, options).catch(timeoutAsNull)),
  } as WorkflowStep;
}
