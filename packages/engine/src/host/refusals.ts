/** What callers are told when a store refuses what they asked. */
import { WorkflowError } from "../core/errors.ts";
import type { Limits } from "../core/limits.ts";
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { InstanceRecord } from "../core/model/records.ts";

/** The error of an instance that ended. */
export const terminal = ({ workflowName, instanceId, status }: InstanceRecord): WorkflowError =>
  new WorkflowError(
    "INSTANCE_TERMINAL",
    `instance "${instanceId}" is ${status}; restart it to run it again`,
    { workflowName, instanceId, status },
  );

/** The error of an instance that does not exist. */
export const notFound = ({ workflowName, instanceId }: InstanceRef): WorkflowError =>
  new WorkflowError(
    "INSTANCE_NOT_FOUND",
    `workflow "${workflowName}" has no instance "${instanceId}"`,
    { workflowName, instanceId },
  );

/** The error of a command that was meant for another run. */
export const runNumberMismatch = ({
  workflowName,
  instanceId,
  runNumber,
}: InstanceRecord): WorkflowError =>
  new WorkflowError(
    "RUN_NUMBER_MISMATCH",
    `instance "${instanceId}" is at run ${runNumber}, not at the one that the command is meant for`,
    { workflowName, instanceId, runNumber },
  );

/** The error of an event whose id another event has. */
export const eventIdConflict = (ref: InstanceRef, eventId: string | null): WorkflowError =>
  new WorkflowError(
    "EVENT_ID_CONFLICT",
    `instance "${ref.instanceId}" has an event of id "${eventId}" with another type or payload`,
    { ...toRef(ref), eventId },
  );

/** The error of an event for which a run has no room. */
export const eventLimit = (
  ref: InstanceRef,
  { maxUndeliveredEvents, maxUndeliveredEventBytes }: Limits,
): WorkflowError =>
  new WorkflowError(
    "EVENT_LIMIT",
    `instance "${ref.instanceId}" holds all the events that it may before a wait takes some: ` +
      `${maxUndeliveredEvents} events, ${maxUndeliveredEventBytes} bytes`,
    { ...toRef(ref), maxUndeliveredEvents, maxUndeliveredEventBytes },
  );

const toRef = ({ workflowName, instanceId }: InstanceRef): InstanceRef => ({
  workflowName,
  instanceId,
});
