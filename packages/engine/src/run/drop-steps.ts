/** Drops what a run's history has of a step that its code has removed. */
import type { RemovedKind } from "../authoring/step.ts";
import { WorkflowError } from "../core/errors.ts";
import { isSettled } from "../core/history/history.ts";
import { toStepWrite } from "../core/model/step-record.ts";
import type { ErrorRecord, HistoryStep } from "../core/model/records.ts";
import { isBelow } from "../core/step-key.ts";
import { othersOf } from "./other-pending.ts";
import type { Session } from "./session-interface.ts";

const REMOVED_KINDS: Readonly<Record<RemovedKind, 1>> = {
  do: 1,
  sleep: 1,
  waitForEvent: 1,
  invoke: 1,
  receive: 1,
  waitForTopic: 1,
  emit: 1,
  progress: 1,
  join: 1,
  race: 1,
  map: 1,
  loop: 1,
  try: 1,
};

const REMOVED: ErrorRecord = {
  name: "StepRemoved",
  message: "the workflow's code has removed this step",
  code: "SCOPE_CLOSED",
  details: null,
  stack: null,
  cause: null,
};

/** Replay passes over the outcomes of the step and of the steps inside it; those that are open are closed. If there is no such kind, the run fails. */
export function dropSteps(session: Session, stepKey: string, kind: RemovedKind): void {
  if (!Object.hasOwn(REMOVED_KINDS, kind)) return session.fail(badKind(kind));
  const { known } = session;
  for (const key of known.stepKeys) {
    const record = key === stepKey || isBelow(key, stepKey) ? known.recordOf(key) : null;
    if (record !== null) drop(session, record);
  }
}

function drop(session: Session, record: HistoryStep): void {
  if (isSettled(record)) return session.order.passOver(record.settledOrder);
  const result = record.type === "loop" ? record.result : null;
  const patch = { status: "cancelled", result, error: REMOVED } as const;
  const write = toStepWrite({ newId: record.id, ...record }, record, patch);
  const settled = { ...write, ...session.order.allocate() };
  // The next commit leaves its child.
  if (record.type === "invoke") othersOf(session.pending);
  session.pending.addSettled(settled);
}

const badKind = (kind: unknown): WorkflowError =>
  new WorkflowError(
    "INVALID_SCOPE",
    `step.removed was given ${String(kind)}; expected ${Object.keys(REMOVED_KINDS).join(", ")}`,
    { kind: String(kind) },
  );
