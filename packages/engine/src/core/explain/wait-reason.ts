/** Tells what an open step waits for. */
import { toCallbackEvent } from "../callback.ts";
import { toChildEvent } from "../child.ts";
import { unlessNever } from "../decide/park.ts";
import { fromWaitTypes } from "../event-types.ts";
import { toTopicEvent } from "../topic-event.ts";
import { isEventWait } from "../model/status.ts";
import type { AwaitedChild, Reason } from "./explanation.ts";
import type { ExplainFacts, OpenStep } from "./facts.ts";

/** When the wait ends by itself; Infinity: never. */
export const toInstantOf = ({ nextRetryAt, wakeAt }: OpenStep): number =>
  unlessNever(nextRetryAt ?? wakeAt) ?? Infinity;

/** @param step one that is `waiting` */
export function toWaitReason(facts: ExplainFacts, step: OpenStep): Reason {
  const at = toInstantOf(step);
  const here = { step: step.stepKey, ...(at === Infinity ? {} : { until: at }) };
  const { type, attempts, maxAttempts, error } = step;
  if (type === "sleep") return { cause: "sleeping", ...here };
  if (type === "invoke") return { cause: "waitsForChild", ...here, child: findChild(facts, step) };
  if (type === "waitForTopic") return { cause: "waitsForTopic", ...here, topic: toTopic(step) };
  if (!isEventWait(type)) return { cause: "retryingStep", ...here, attempts, maxAttempts, error };
  return step.waitEventType === toCallbackEvent(step.stepKey)
    ? { cause: "waitsForCallback", ...here }
    : { cause: "waitsForEvent", ...here, types: toTypes(step), buffered: facts.events };
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
