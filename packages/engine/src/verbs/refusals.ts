/** The errors of calls that an instance refuses. */
import type { ErrorCode } from "../core/error-codes.ts";
import { type ErrorDetails, WorkflowError } from "../core/errors.ts";
import type { Limits } from "../core/limits.ts";
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { DurationMs, InstanceRecord } from "../core/model/records.ts";
import type { LiveInstance } from "../ports/delete.ts";

/** @param says what is wrong, about the instance @param more details besides its names */
const refusal = (
  code: ErrorCode,
  { workflowName, instanceId }: InstanceRef,
  says: string,
  more?: ErrorDetails,
): WorkflowError =>
  new WorkflowError(code, `instance "${instanceId}" of workflow "${workflowName}" ${says}`, {
    workflowName,
    instanceId,
    ...more,
  });

/** The error of an id that is taken. */
export const alreadyExists = (ref: InstanceRef): WorkflowError =>
  refusal("INSTANCE_ID_ALREADY_EXISTS", ref, "exists already");

/** The error of an idempotency key that is repeated with other params. */
export const keyConflict = (ref: InstanceRef): WorkflowError =>
  refusal(
    "IDEMPOTENCY_KEY_CONFLICT",
    ref,
    "was created with this idempotency key and different params",
  );

/** The error of an idempotency key that a command has used with other inputs. */
export const commandKeyConflict = (ref: InstanceRef): WorkflowError =>
  refusal(
    "IDEMPOTENCY_KEY_CONFLICT",
    ref,
    "was given this command with this idempotency key and different inputs",
  );

/** The error of an instance that does not exist. */
export const notFound = (ref: InstanceRef): WorkflowError =>
  refusal("INSTANCE_NOT_FOUND", ref, "does not exist");

/** The error of an instance that ended. */
export const terminal = (instance: InstanceRecord): WorkflowError => {
  const { status } = instance;
  return refusal("INSTANCE_TERMINAL", instance, `is ${status}; restart it to run it again`, {
    status,
  });
};

/** The error of a retry of an instance that did not fail, or was rolled back. */
export const notErrored = (instance: InstanceRecord): WorkflowError => {
  const { status } = instance;
  const says =
    status === "errored"
      ? "was rolled back: its steps are undone, so restart it instead"
      : `is ${status}, and only one that is errored can be retried`;
  return refusal("INSTANCE_NOT_ERRORED", instance, says, { status });
};

/** The error of a delete. @param live the instance itself, or a relative of it */
export const notEnded = (
  ref: InstanceRef,
  { workflowName, instanceId, status }: LiveInstance,
): WorkflowError => {
  const isItself = workflowName === ref.workflowName && instanceId === ref.instanceId;
  const says = isItself
    ? `is ${status}, and only one that has ended can be deleted`
    : `cannot be deleted yet: the related instance "${instanceId}" of workflow "${workflowName}" is ${status}`;
  const live = { liveWorkflowName: workflowName, liveInstanceId: instanceId, status };
  return refusal("INSTANCE_NOT_ENDED", ref, says, live);
};

/** The error of an export. @param live the instance itself, or a relative of it */
export const notPaused = (
  ref: InstanceRef,
  { workflowName, instanceId, status }: LiveInstance,
): WorkflowError => {
  const isItself = workflowName === ref.workflowName && instanceId === ref.instanceId;
  const says = isItself
    ? `is ${status}, and only one that is paused or has ended can be exported`
    : `cannot be exported yet: the related instance "${instanceId}" of workflow "${workflowName}" is ${status}`;
  const live = { liveWorkflowName: workflowName, liveInstanceId: instanceId, status };
  return refusal("INSTANCE_NOT_PAUSED", ref, says, live);
};

/** The error of an instance that went on while it was exported, or since. */
export const changed = (ref: InstanceRef): WorkflowError =>
  refusal("INSTANCE_CHANGED", ref, "has changed since its export began");

/** The error of a command that was meant for another run. */
export const runNumberMismatch = (instance: InstanceRecord): WorkflowError => {
  const { runNumber } = instance;
  const says = `is at run ${runNumber}, not at the run that the command names`;
  return refusal("RUN_NUMBER_MISMATCH", instance, says, { runNumber });
};

/** The error of a command that was meant for another status. */
export const statusMismatch = (instance: InstanceRecord): WorkflowError => {
  const { status } = instance;
  const says = `is ${status}, which is not a status that the command allows`;
  return refusal("STATUS_MISMATCH", instance, says, { status });
};

/** The error of a deadline that is to be moved and has passed. */
export const deadlinePassed = (instance: InstanceRecord): WorkflowError =>
  refusal("DEADLINE_EXCEEDED", instance, "is past its deadline, which can no longer be moved");

/** The error of a step that a run does not have. */
export const stepNotFound = (instance: InstanceRecord, stepKey: string): WorkflowError => {
  const { runNumber } = instance;
  return refusal("STEP_NOT_FOUND", instance, `has no step "${stepKey}" in run ${runNumber}`, {
    stepKey,
    runNumber,
  });
};

/** The error of a step that a loop's stored position has passed. */
export const stepPassed = (instance: InstanceRecord, stepKey: string): WorkflowError =>
  refusal(
    "STEP_PASSED",
    instance,
    `has a loop that has moved past step "${stepKey}" and no longer keeps its earlier iterations`,
    { stepKey },
  );

/** The error of a run whose steps were undone, or are being undone. */
export const runUndone = (instance: InstanceRecord): WorkflowError => {
  const { status, runNumber } = instance;
  const says = `is rolled back in run ${runNumber}: its steps are undone, so restart it instead`;
  return refusal("RUN_UNDONE", instance, says, { status, runNumber });
};

/** The error of an event whose id another event has. */
export const eventIdConflict = (ref: InstanceRef, eventId: string | null): WorkflowError =>
  refusal(
    "EVENT_ID_CONFLICT",
    ref,
    `already has an event with the id "${eventId}" and another type or payload`,
    { eventId },
  );

/** The error of an event for which a run has no room. */
export const eventLimit = (
  ref: InstanceRef,
  { maxUndeliveredEvents, maxUndeliveredEventBytes }: Limits,
): WorkflowError =>
  refusal(
    "EVENT_LIMIT",
    ref,
    "has reached its limit of events that no wait has taken: " +
      `${maxUndeliveredEvents} events, ${maxUndeliveredEventBytes} bytes`,
    { maxUndeliveredEvents, maxUndeliveredEventBytes },
  );

/** The error of a reply to an event that the run does not have. */
export const eventNotFound = (ref: InstanceRef, eventId: string): WorkflowError =>
  refusal("EVENT_NOT_FOUND", ref, `has no event with the id "${eventId}" in this run`, { eventId });

/** The error of a reply that will not come. */
export const eventNotAnswered = (
  ref: InstanceRef,
  { eventId, status }: { readonly eventId: string; readonly status: string },
): WorkflowError =>
  refusal("EVENT_NOT_ANSWERED", ref, `has not answered event "${eventId}", and its run has ended`, {
    eventId,
    status,
  });

/** The error of a reply that was waited for too long. */
export const replyTimeout = (
  ref: InstanceRef,
  { eventId, timeoutMs }: { readonly eventId: string; readonly timeoutMs: DurationMs },
): WorkflowError =>
  refusal("REPLY_TIMEOUT", ref, `has not answered event "${eventId}" after ${timeoutMs} ms`, {
    eventId,
    timeoutMs,
  });

/** The error of a result that does not exist, because the instance was terminated. */
export const terminated = (ref: InstanceRef): WorkflowError =>
  refusal("INSTANCE_TERMINATED", ref, "was terminated");

/** The error of a wait that the engine's end has ended. */
export const engineClosed = ({ workflowName, instanceId }: InstanceRef): WorkflowError =>
  new WorkflowError(
    "ENGINE_CLOSED",
    `the engine was closed while waiting for instance "${instanceId}" of workflow "${workflowName}", ` +
      "which goes on in any process that runs its workflow",
    { workflowName, instanceId },
  );

/** The error of a result that was waited for too long. */
export const resultTimeout = (instance: InstanceRecord, timeoutMs: DurationMs): WorkflowError => {
  const { status } = instance;
  const doubt =
    status === "queued" ? "; is its platform running, or anything else that ticks?" : "";
  const says = `is ${status} after ${timeoutMs} ms of waiting for its result${doubt}`;
  return refusal("RESULT_TIMEOUT", instance, says, { status, timeoutMs });
};

/** Why an instance that is there refuses a command, in the words of the store's answers. */
type Refusal =
  | "terminal"
  | "notErrored"
  | "runNumberMismatch"
  | "statusMismatch"
  | "deadlinePassed"
  | "runUndone"
  | "keyConflict";

const REFUSALS: Readonly<Record<Refusal, (instance: InstanceRecord) => WorkflowError>> = {
  terminal,
  notErrored,
  runNumberMismatch,
  statusMismatch,
  deadlinePassed,
  runUndone,
  keyConflict: commandKeyConflict,
};

/** An answer of a store that says no more than that. */
export type Refused =
  | { readonly kind: "notFound" }
  | { readonly kind: Refusal; readonly instance: InstanceRecord };

/** The error of a refused command. */
export const toRefusal = (refused: Refused, ref: InstanceRef): WorkflowError =>
  refused.kind === "notFound" ? notFound(ref) : REFUSALS[refused.kind](refused.instance);
