/** Status and lifecycle of one instance. */
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { notAfterDeadline } from "../core/deadline.ts";
import { toStartsAt } from "../core/delayed-start.ts";
import type { Conditions } from "../core/decide/demand.ts";
import type { LifecycleCommand, StoreCommand } from "../core/decide/lifecycle.ts";
import { WorkflowError } from "../core/errors.ts";
import { parseIdempotencyKey, parseInstanceId } from "../core/request-ids.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import type { InstanceRecord } from "../core/model/records.ts";
import type { WakeHint } from "../ports/platform.ts";
import type { InstanceView } from "../ports/instance-views.ts";
import type { CommandOptions, ControlOptions, Preconditions } from "../ports/command-options.ts";
import type { ControlRequest } from "../ports/control.ts";
import type { HostContext } from "./context.ts";
import { parseRunNumber, parseStatuses } from "./fields.ts";
import { notFound, toRefusal } from "./refusals.ts";
import { toInstanceView } from "./views.ts";

/** @throws {WorkflowError} INVALID_INSTANCE_ID, INSTANCE_NOT_FOUND */
export async function loadInstance(
  context: HostContext,
  workflow: RegisteredWorkflow,
  id: string,
): Promise<InstanceRecord> {
  const instanceId = parseInstanceId(id, context.limits);
  const record = await context.store.loadInstance(workflow.name, instanceId);
  if (record === null) throw notFound({ workflowName: workflow.name, instanceId });
  return record;
}

/** Every precondition. */
export const PRECONDITIONS: Readonly<Record<keyof Preconditions, 1>> = {
  ifRunNumber: 1,
  ifStatus: 1,
};

/** Every option of a command. */
export const CONTROL_OPTIONS: Readonly<Record<keyof ControlOptions, 1>> = {
  ...PRECONDITIONS,
  idempotencyKey: 1,
};

/** Additional options of some commands, and the store command that each option asks for. */
const VARIANTS: Partial<
  Record<LifecycleCommand, readonly [option: keyof CommandOptions, command: StoreCommand]>
> = {
  terminate: ["rollback", "rollback"],
  restart: ["newKeys", "restartWithNewKeys"],
  // With `from`, it is a rewind.
  retry: ["from", "retry"],
};

/** Finds the store command for a command and its options. @throws {WorkflowError} UNKNOWN_OPTION, INVALID_REQUEST */
export function toStoreCommand(
  command: LifecycleCommand,
  options: CommandOptions | undefined,
): StoreCommand {
  const variant = VARIANTS[command];
  const known = variant === undefined ? {} : { [variant[0]]: 1 };
  assertKnownOptions(command, options, { ...CONTROL_OPTIONS, ...known });
  if (variant === undefined) return command;
  const [option, other] = variant;
  const isOther: unknown = options?.[option] ?? false;
  if (typeof isOther !== "boolean")
    throw new WorkflowError("INVALID_REQUEST", `${option} of ${command} is true or false`, {});
  return isOther ? other : command;
}

/** Whether a command is a retry from a step. */
export const isRetryFrom = (
  command: LifecycleCommand,
  options: CommandOptions | undefined,
): options is CommandOptions & Required<Pick<CommandOptions, "from">> =>
  command === "retry" && options?.from !== undefined;

/** A command for one instance. */
export interface InstanceCommand extends ControlOptions {
  readonly id: string;
  readonly command: StoreCommand;
}

/** @throws as `EngineService.control` */
export async function controlInstance(
  context: HostContext,
  workflow: Pick<RegisteredWorkflow, "name">,
  input: InstanceCommand,
): Promise<InstanceView> {
  const { command } = input;
  const instanceId = parseInstanceId(input.id, context.limits);
  const taskRowId = context.host.newId();
  const result = await context.store.control({
    workflowName: workflow.name,
    instanceId,
    command,
    taskRowId,
    ...parseControlOptions(command, input),
  });
  if (result.kind !== "applied")
    throw toRefusal(result, { workflowName: workflow.name, instanceId });
  const { instance } = result;
  // Looking this up in the table of commands would make the tick bundle a hundredth larger.
  const reason = command.startsWith("restart") ? "create" : "resume";
  if (result.woke) wakeFor(context, instance, reason);
  if (command === "terminate" && instance.status === "terminated" && context.isWithin !== true) {
    const at = instance.updatedAt;
    context.lifecycle.tell?.({ kind: "terminated", run: instance, at });
  }
  return toInstanceView(instance);
}

/** Wakes for an instance: now, or when it is to start. */
export function wakeFor(
  context: HostContext,
  instance: InstanceRecord,
  reason: WakeHint["reason"],
): void {
  const { workflowName, instanceId, updatedAt } = instance;
  const startsAt = toStartsAt(instance);
  const dueAt = startsAt === null ? null : notAfterDeadline(startsAt, instance);
  if (dueAt === null) context.wake({ workflowName, instanceId, reason });
  else context.wake({ workflowName, instanceId, reason, dueAt }, dueAt - updatedAt);
}

type Given = { readonly [Name in keyof Preconditions]: Preconditions[Name] | undefined };

/** @throws {WorkflowError} INVALID_REQUEST */
export const parsePreconditions = ({ ifRunNumber, ifStatus }: Given): Conditions => ({
  ifRunNumber: ifRunNumber === undefined ? null : parseRunNumber(ifRunNumber),
  ifStatus: parseStatuses(ifStatus),
});

/** Parses the conditions of a command. @throws {WorkflowError} INVALID_IDEMPOTENCY_KEY, INVALID_REQUEST */
export function parseControlOptions(
  command: StoreCommand | "restartOrCreate" | "rewind" | "retryFrom" | "update",
  { idempotencyKey, ...conditions }: ControlOptions,
): Pick<ControlRequest, keyof Conditions | "controlKey"> {
  return {
    ...parsePreconditions(conditions),
    controlKey:
      idempotencyKey === undefined ? null : `${command} ${parseIdempotencyKey(idempotencyKey)}`,
  };
}
