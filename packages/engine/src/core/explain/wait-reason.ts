/** What an open step waits for. */
import { toCallbackEvent } from "../callback.ts";
import { toChildEvent } from "../child.ts";
import { unlessNever } from "../decide/park.ts";
import { fromWaitTypes } from "../event-types.ts";
import { toTopicEvent } from "../topic-event.ts";
import type { AwaitedChild, Reason } from "./explanation.ts";
import type { ExplainFacts, OpenStep } from "./facts.ts";

/** When it ends by itself; Infinity: never. */
export const toInstantOf = ({ nextRetryAt, wakeAt }: OpenStep): number =>
  unlessNever(nextRetryAt ?? wakeAt) ?? Infinity;

/** @param step that is `waiting` */
export function toWaitReason(facts: ExplainFacts, step: OpenStep): Reason {
  const at = toInstantOf(step);
  const here = { step: step.stepKey, ...(at === Infinity ? {} : { until: at }) };
  switch (step.type) {
    case "sleep":
      return { cause: "sleeping", ...here };
    case "invoke":
      return { cause: "waitsForChild", ...here, child: findChild(facts, step) };
    case "waitForTopic":
      return { cause: "waitsForTopic", ...here, topic: toTopic(step) };
    case "waitForEvent":
    case "receive":
      return step.waitEventType === toCallbackEvent(step.stepKey)
        ? { cause: "waitsForCallback", ...here }
        : { cause: "waitsForEvent", ...here, types: toTypes(step), buffered: facts.events };
    default: {
      const { attempts, maxAttempts, error } = step;
      return { cause: "retryingStep", ...here, attempts, maxAttempts, error };
    }
  }
}

const toTypes = ({ waitEventType }: OpenStep): readonly string[] =>
  waitEventType === null ? [] : fromWaitTypes(waitEventType);

const toTopic = ({ waitEventType }: OpenStep): string =>
  (waitEventType ?? "").slice(toTopicEvent("").length);

function findChild({ children }: ExplainFacts, step: OpenStep): AwaitedChild | null {
  const child = children.find(
    ({ stepKey, instanceId }) =>
      stepKey === step.stepKey && toChildEvent(stepKey, instanceId) === step.waitEventType,
  );
  if (child === undefined) return null;
  const { workflowName, instanceId: id, runNumber, status } = child;
  return { workflowName, id, runNumber, status };
}
