/** @module Continues calls of steps that few runs make, each kind with its own code. Loaded when a run first calls one of them. */
import type { CallbackOptions } from "../authoring/callback.ts";
import type { ReceiveOptions } from "../authoring/events.ts";
import type { InvokeOptions } from "../authoring/invoke.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import type { WaitForTopicOptions } from "../authoring/topic.ts";
import { late } from "../core/late.ts";
import type { EmitInput } from "../ports/topic-service.ts";
import { loadOrThrow } from "./missing-code.ts";
import type { Called } from "./open-prepared.ts";

const receiveStep = late(() => import("./receive-step.ts"));
const callbackStep = late(() => import("./callback-step.ts"));
const progressSteps = late(() => import("./progress-step.ts"));
const childSteps = late(() => import("./invoke-step.ts"));
const topicSteps = late(() => import("./topic-steps.ts"));

/** Methods of `step` whose calls this continues. */
export type LateStep = "receive" | "callback" | "waitForTopic" | "emit" | "progress" | "invoke";

/** A call of a workflow's step. */
export interface CalledStep extends Called {
  readonly workflow: RegisteredWorkflow;
}

/** @param given the arguments of the call, with the types that they should have @returns a function that tells author code, or opens the step */
type Prepare = (called: CalledStep, ...given: never[]) => Promise<() => void>;

/** By the name of the step's method. */
export const PREPARE: Readonly<Record<LateStep, Prepare>> = {
  receive: async (called, _name: string, options: ReceiveOptions) =>
    (await loadOrThrow(receiveStep)).prepareReceive({ ...called, options }),
  callback: async (called, _name: string, options: CallbackOptions = {}) =>
    (await loadOrThrow(callbackStep)).prepareCallback({ ...called, options }),
  waitForTopic: async (called, _name: string, topic: unknown, options: WaitForTopicOptions = {}) =>
    (await loadOrThrow(topicSteps)).prepareWait({ ...called, topic, options }),
  emit: async (called, topic: unknown, payload: unknown, options: EmitInput = {}) =>
    (await loadOrThrow(topicSteps)).prepareEmit({ ...called, topic, payload, options }),
  progress: async (called, value: unknown) =>
    (await loadOrThrow(progressSteps)).prepareProgress({ ...called, value }),
  invoke: async (called, child: { readonly name: string } | string, options: InvokeOptions = {}) =>
    (await loadOrThrow(childSteps)).prepareInvoke({ ...called, child, options }),
};
