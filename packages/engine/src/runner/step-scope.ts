/** `step.do`, `sleep`, `sleepUntil`, `waitForEvent`, `tryWaitForEvent` as workflow code sees them. */
import type {
  ReceivedEvent,
  WaitForEventOptions,
  WorkflowStep,
  WorkflowStepConfig,
} from "../authoring/step.ts";
import type { When } from "../core/model/change.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { resolveStepConfig } from "../authoring/step-config.ts";
import { beginDo, type DoBody } from "./do-step.ts";
import { openCall, unlinked } from "./open-call.ts";
import type { Session } from "./session.ts";
import { beginSleep, sleepFor, sleepTo } from "./sleep-step.ts";
import { beginWait, timeoutAsNull, toReceivedEvent, toWaitCommand } from "./wait-step.ts";

/** The steps of a session, as workflow code sees them. */
export function createStepScope(
  session: Session,
  { stepConfig, stepDefaults }: RegisteredWorkflow,
): WorkflowStep {
  const sleep = (name: string, toWake: () => When): Promise<void> =>
    openCall(session, { name, type: "sleep" }, (call, identity) => {
      const command = { ...identity, wake: toWake() };
      session.takeover.decideWait(() => beginSleep(session, call, command));
    }) as Promise<void>;
  const wait = (name: string, options: WaitForEventOptions): Promise<ReceivedEvent<unknown>> =>
    unlinked(
      openCall(session, { name, type: "waitForEvent" }, (call, identity) => {
        const command = toWaitCommand(session, identity, options);
        session.takeover.decideWait(() => beginWait(session, call, command));
      }).then(toReceivedEvent),
    );
  return {
    do: (name: string, first: WorkflowStepConfig | DoBody, second?: DoBody) => {
      const isBare = typeof first === "function";
      const body = isBare ? first : (second as DoBody);
      return openCall(session, { name, type: "do" }, (call, identity) => {
        const config = isBare ? stepConfig : resolveStepConfig(stepDefaults, first);
        beginDo(session, call, { identity, config, body });
      });
    },
    sleep: (name, duration) => sleep(name, () => sleepFor(session, duration)),
    sleepUntil: (name, timestamp) => sleep(name, () => sleepTo(session, timestamp)),
    waitForEvent: wait,
    tryWaitForEvent: (name: string, options: WaitForEventOptions) =>
      unlinked(wait(name, options).catch(timeoutAsNull)),
  } as WorkflowStep;
}
