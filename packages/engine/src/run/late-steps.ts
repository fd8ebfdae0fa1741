/** Steps whose code is loaded when a run first calls them. */
import type { InvokeOptions } from "../authoring/invoke.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import type { CallbackOptions } from "../authoring/callback.ts";
import type { ReceiveOptions } from "../authoring/events.ts";
import type { WaitForTopicOptions } from "../authoring/topic.ts";
import { late } from "../core/late.ts";
import type { TopicRef } from "../core/topic.ts";
import type { OpenCall } from "./open-call.ts";
import { createOpenPrepared } from "./open-prepared.ts";
import type { Place } from "./place.ts";
import type { Session } from "./session.ts";
import type { EmitInput } from "../ports/topic-service.ts";

const callbackStep = late(() => import("./callback-step.ts"));
const receiveStep = late(() => import("./receive-step.ts"));
const progressStep = late(() => import("./progress-step.ts"));
const topicSteps = late(() => import("./topic-steps.ts"));
const invokeStep = late(() => import("./invoke-step.ts"));

type LateSteps = Readonly<
  Record<"receive" | "callback" | "waitForTopic" | "emit" | "progress" | "invoke", unknown>
>;

/** Those of a place. @param open of the steps that they are among */
export function createLateSteps(
  session: Session,
  workflow: RegisteredWorkflow,
  open: OpenCall,
): (place: Place) => LateSteps {
  const openPrepared = createOpenPrepared(session, open);
  return (place) => ({
    receive: (name: string, options: ReceiveOptions) =>
      openPrepared(place, {
        type: "receive",
        name,
        isReserved: true,
        prepare: async (called) =>
          (await receiveStep()).prepareReceive({ ...called, workflow, options }),
      }),
    callback: (name: string, options: CallbackOptions = {}) =>
      openPrepared(place, {
        type: "waitForEvent",
        name,
        isIdle: true,
        prepare: async (called) => (await callbackStep()).prepareCallback({ ...called, options }),
      }),
    waitForTopic: (name: string, topic: unknown, options: WaitForTopicOptions = {}) =>
      openPrepared(place, {
        type: "waitForTopic",
        name,
        isReserved: true,
        prepare: async (called) => (await topicSteps()).prepareWait({ ...called, topic, options }),
      }),
    emit: (topic: TopicRef | undefined, payload?: unknown, options: EmitInput = {}) =>
      openPrepared(place, {
        type: "emit",
        name: typeof topic === "string" ? topic : (topic?.name ?? ""),
        isReserved: true,
        isTold: true,
        prepare: async (called) =>
          (await topicSteps()).prepareEmit({ ...called, topic, payload, options }),
      }),
    progress: (value: unknown) =>
      openPrepared(place, {
        type: "progress",
        name: "progress",
        isReserved: true,
        isTold: true,
        prepare: async (called) => (await progressStep()).prepareProgress({ ...called, value }),
      }),
    invoke: (
      child: { readonly name: string } | string | undefined,
      options: InvokeOptions = {},
    ) => {
      const workflowName = typeof child === "string" ? child : (child?.name ?? "");
      return openPrepared(place, {
        type: "invoke",
        name: options.name ?? workflowName,
        prepare: async (called) =>
          (await invokeStep()).prepareInvoke({ ...called, workflowName, options }),
      });
    },
  });
}
