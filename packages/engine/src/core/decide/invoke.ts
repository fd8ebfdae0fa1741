/** Decides what a call of `step.invoke` does, given history and the events that have arrived. */
import { toChildEvent } from "../child.ts";
import { toChildError } from "../child-error.ts";
import type { ChildCreated, StepWrite } from "../model/change.ts";
import type { InstanceRef } from "../model/instance-key.ts";
import type { EpochMs, EventRecord, JsonText, StepRecord } from "../model/records.ts";
import { type StepIdentity, toStepWrite } from "../model/step-record.ts";

/** The arguments of a call. `child`: null if history has one. */
export interface InvokeCommand extends StepIdentity {
  readonly child: ChildCreated | null;
}

/** `wait`: a row and the child, if there are none yet. `settle`: the child has ended, at `at`. */
export type InvokeDecision =
  | {
      readonly kind: "settle";
      readonly event: EventRecord;
      readonly step: StepWrite;
      readonly at: EpochMs;
    }
  | {
      readonly kind: "wait";
      readonly eventType: string;
      readonly step: StepWrite | null;
      readonly child?: ChildCreated;
    };

/** Whether the step waits for a child. A step that `retry` has reopened does not. */
export const hasChild = ({ status }: Pick<StepRecord, "status">): boolean => status !== "pending";

/** @param events unconsumed events of the run */
export function decideInvoke(
  record: StepRecord | null,
  command: InvokeCommand,
  events: readonly EventRecord[],
): InvokeDecision {
  if (record === null || !hasChild(record)) return begin(record, command, events);
  const eventType = record.waitEventType ?? "";
  const event = events.find(({ type }) => type === eventType);
  if (event === undefined) return { kind: "wait", eventType, step: null };
  return settle(record, command, { event, child: childOf(record) });
}

function begin(
  record: StepRecord | null,
  command: InvokeCommand,
  events: readonly EventRecord[],
): InvokeDecision {
  const { child, stepKey } = command;
  if (child === null) throw new TypeError(`step "${stepKey}" has no child to start`);
  const eventType = toChildEvent(stepKey, child.instanceId);
  // The event of a child with an id of the author's choice, which the step started before a rewind.
  const event = events.find(({ type }) => type === eventType);
  if (event !== undefined) return settle(record, command, { event, child });
  const step = toStepWrite(command, record, {
    status: "waiting",
    waitEventType: eventType,
    result: toChildText(child),
  });
  return { kind: "wait", eventType, step, child };
}

interface Ended {
  readonly event: EventRecord;
  readonly child: InstanceRef;
}

function settle(
  record: StepRecord | null,
  command: InvokeCommand,
  { event, child }: Ended,
): InvokeDecision {
  const end = event.payload ?? "{}";
  const error = toChildError(child, end);
  const patch =
    error === null
      ? ({
          status: "completed",
          result: `${toChildText(child).slice(0, -1)},${end.slice(1)}`,
        } as const)
      : ({ status: "errored", error } as const);
  const step = toStepWrite(command, record, patch);
  return { kind: "settle", event, step, at: event.createdAt };
}

/** The row's `result`: which child, and at its end also how it ended, as the event says. */
const toChildText = ({ workflowName, instanceId }: InstanceRef): JsonText =>
  JSON.stringify({ workflowName, instanceId });

/** The child of an open step. */
export const childOf = ({ result }: Pick<StepRecord, "result">): InstanceRef =>
  JSON.parse(result ?? "{}") as InstanceRef;
