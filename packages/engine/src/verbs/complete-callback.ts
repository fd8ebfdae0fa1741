/** Uses a callback's token: gives the payload to the wait that the token is for. */
import { type CallbackRef, toCallbackEvent } from "../core/callback.ts";
import { encodeJson } from "../core/codec.ts";
import { WorkflowError } from "../core/errors.ts";
import { callbackDisabled } from "../core/disabled.ts";
import { late } from "../core/late.ts";
import type { Limits } from "../core/limits.ts";
import type { JsonText } from "../core/model/records.ts";
import type { InstanceView } from "../ports/instance-views.ts";
import type { CallbackTarget, EventAccepted, SendEventResult } from "../ports/send-event.ts";
import { parseCallbacks } from "../run/callback-options.ts";
import type { RunContext } from "../run/context.ts";
import type { HostContext } from "./context.ts";
import { eventLimit } from "./refusals.ts";
import { claimingHere, eventCap } from "./send-event.ts";
import { toInstanceView } from "./views.ts";

/** @throws as `EngineService.completeCallback` */
export async function completeCallback(
  context: HostContext,
  token: string,
  payload: unknown,
): Promise<InstanceView> {
  const { workflowName, instanceId, ...target } = await identifyCallback(context, token);
  const verbs = { sendCallback: toSend(context) };
  // Traced only from here on: now it is known which step the callback belongs to, and the token is a secret.
  const { sendCallback } = context.telemetry?.wrapVerbs(verbs) ?? verbs;
  return sendCallback(workflowName, instanceId, { target, payload });
}

interface CallbackCall {
  readonly target: CallbackTarget;
  readonly payload: unknown;
}

const toSend =
  (context: HostContext) =>
  async (
    workflowName: string,
    instanceId: string,
    { target, payload }: CallbackCall,
  ): Promise<InstanceView> => {
    const ref = { workflowName, instanceId };
    const type = toCallbackEvent(target.stepKey);
    const event = {
      ...ref,
      eventRowId: context.host.newId(),
      type,
      payload: encodeCallbackPayload(context.limits, payload),
      eventId: type,
      cap: eventCap(context.limits),
      callback: target,
      ...context.telemetry?.stamp(),
    };
    const result = await claimingHere(context, (claim) =>
      context.store.sendEvent({ ...event, claim }),
    );
    if (result.kind !== "applied") throw toRefusal(result, context, ref);
    if (result.woke && result.run === null) context.wake({ ...ref, reason: "event" });
    return toInstanceView(result.instance);
  };

/** @throws {WorkflowError} NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE */
export const encodeCallbackPayload = (
  { maxEventPayloadBytes: maxBytes }: Limits,
  payload: unknown,
): JsonText | null => encodeJson(payload, { maxBytes, what: "the payload of the callback" });

const callbackToken = late(() => import("../run/callback-token.ts"));

/** Reads which step a token is for. @throws {WorkflowError} CALLBACK_DISABLED, CALLBACK_INVALID */
export async function identifyCallback(
  context: Pick<RunContext, "callbacks" | "namespace">,
  token: string,
): Promise<CallbackRef> {
  const callbacks = parseCallbacks(context);
  if (callbacks === null) throw callbackDisabled();
  const { readCallback } = await callbackToken();
  const ref = await readCallback(callbacks, token);
  if (ref !== null) return ref;
  throw new WorkflowError("CALLBACK_INVALID", "the token was not signed by this engine");
}

/** Makes the error of a refusal. It reveals no more about the instance than the token does. */
function toRefusal(
  { kind }: Exclude<SendEventResult, EventAccepted>,
  { limits }: HostContext,
  ref: Pick<CallbackRef, "workflowName" | "instanceId">,
): WorkflowError {
  if (kind === "eventLimit") return eventLimit(ref, limits);
  return kind === "callbackUsed" ? callbackUsed() : callbackLate();
}

/** The error of a token that was used before. */
export const callbackUsed = (): WorkflowError =>
  new WorkflowError(
    "CALLBACK_USED",
    "the callback has been used already; its first payload counts",
  );

/** The error of a token that nobody waits for any more. */
export const callbackLate = (): WorkflowError =>
  new WorkflowError(
    "CALLBACK_LATE",
    "the callback came too late: its wait is over, or the run has ended or was restarted",
  );
