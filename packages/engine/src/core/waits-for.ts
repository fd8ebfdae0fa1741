/** Tells what an open step waits for, from its row. */
import { toCallbackEvent } from "./callback.ts";
import { unlessNever } from "./decide/park.ts";
import { fromWaitTypes } from "./event-types.ts";
import type { EpochMs, StepRecord } from "./model/records.ts";
import { isEventWait } from "./model/status.ts";
import { toTopicEvent } from "./topic-event.ts";

/**
 * What a step waits for. `until`: when the wait ends by itself or times out; null: never.
 *
 * - `time`: a sleep. `nextAttempt`: a body that failed or was lost is to run again.
 * - `event`: an event of any of these types. `topic`: a message to it. `callback`: a call of the step's URL.
 * - `child`: the end of the instance that the step has started.
 */
export type WaitsFor = { readonly until: EpochMs | null } & (
  | { readonly kind: "time" | "nextAttempt" | "callback" }
  | { readonly kind: "event"; readonly types: readonly string[] }
  | { readonly kind: "topic"; readonly topic: string }
  | { readonly kind: "child"; readonly id: string }
);

type Waiting = Pick<
  StepRecord,
  "stepKey" | "type" | "status" | "nextRetryAt" | "wakeAt" | "waitEventType"
>;

/** null: the step waits for nothing. */
export function toWaitsFor(step: Waiting): WaitsFor | null {
  if (step.status !== "waiting") return null;
  const { type, stepKey } = step;
  const until = unlessNever(step.nextRetryAt ?? step.wakeAt);
  const asked = step.waitEventType ?? "";
  if (type === "sleep") return { kind: "time", until };
  if (type === "do") return { kind: "nextAttempt", until };
  if (type === "invoke") return { kind: "child", id: asked.split(" ")[1] ?? "", until };
  if (type === "waitForTopic")
    return { kind: "topic", topic: asked.slice(toTopicEvent("").length), until };
  if (!isEventWait(type)) return null;
  return asked === toCallbackEvent(stepKey)
    ? { kind: "callback", until }
    : { kind: "event", types: fromWaitTypes(asked), until };
}
