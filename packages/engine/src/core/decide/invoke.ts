/** What a call of `step.invoke` means, given history and the events that have arrived. */
import { toChildEvent } from "../child.ts";
import { toChildError } from "../child-error.ts";
import type { ChildCreated, StepWrite } from "../model/change.ts";
import type { InstanceRef } from "../model/instance-key.ts";
import type { EpochMs, EventRecord, JsonText, StepRecord } from "../model/records.ts";
import { type StepIdentity, toStepWrite } from "../model/step-record.ts";

/** What a call asks for. `child`: null where history has one. */
export interface InvokeCommand extends StepIdentity {
  readonly child: ChildCreated | null;
}

/** `wait`: a row, and the child, where there are none yet. `settle`: the child has ended, since `at`. */
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

/** Whether the step waits for a child: what `retry` has opened waits for none. */
export const hasChild = ({ status }: Pick<StepRecord, "status">): boolean => status !== "pending";

/** @param events unconsumed ones of the run */
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
  // Of a child with an id of its own, that the step has started before the run was brought back.
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

/** The row's `result`: which child, and with its end how it ended, as the event says it. */
const toChildText = ({ workflowName, instanceId }: InstanceRef): JsonText =>
  JSON.stringify({ workflowName, instanceId });

/** The child of an open step. */
export const childOf = ({ result }: Pick<StepRecord, "result">): InstanceRef =>
  JSON.parse(result ?? "{}") as InstanceRef;
