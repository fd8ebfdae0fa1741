/** @module `step.receive`: a batch of events of several types. Loaded when a run first calls it. */
import { toLimits } from "../core/default-limits.ts";
import type { ReceivedEvent, ReceiveOptions } from "../authoring/events.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { assertDeclared } from "../authoring/declared.ts";
import { decideReceive, type ReceiveCommand } from "../core/decide/receive.ts";
import type { StepIdentity } from "../core/model/step-record.ts";
import { WorkflowError } from "../core/errors.ts";
import { MAX_WAIT_TYPES, toWaitTypes } from "../core/event-types.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import { parseEventType } from "../core/event-type.ts";
import { EVENT_PAGE } from "../ports/run-pages.ts";
import type { Call, CallDecision } from "./call.ts";
import type { StepKind } from "./open-call.ts";
import type { Called } from "./open-prepared.ts";
import type { Session } from "./session-interface.ts";
import { toReceivedEvent, warnRetyped } from "./event-wait.ts";
import { toTimeoutMs } from "./wait-step.ts";
import { eventsOf } from "./known-events.ts";
import { othersOf } from "./other-pending.ts";

const OPTIONS: Readonly<Record<keyof ReceiveOptions, 1>> = {
  types: 1,
  count: 1,
  min: 1,
  timeout: 1,
};

type Checked = Omit<ReceiveCommand, keyof StepIdentity>;

/** A call of `step.receive`. */
export interface CalledReceive extends Called {
  readonly workflow: RegisteredWorkflow;
  readonly options: ReceiveOptions;
}

/** @returns a function that opens its wait */
export function prepareReceive(called: CalledReceive): () => void {
  const { place, identified, options, outcome, open } = called;
  const kind = createReceiveKind(called);
  return () => outcome.follow(open(place, kind, identified, options));
}

const createReceiveKind = ({
  session,
  workflow,
}: CalledReceive): StepKind<ReceiveOptions, Checked> => ({
  type: "receive",
  check: (options) => toReceiveCommand(session, options),
  toOutcome: (value, stepKey): readonly ReceivedEvent<unknown>[] =>
    (value as readonly unknown[]).map((event, index) =>
      toReceivedEvent(session, { value: event, stepKey, index }),
    ),
  toDecide(identity, command) {
    const record = session.known.openRecordOf(identity.stepKey);
    if (record?.waitEventType !== command.waitTypes)
      for (const type of command.types) assertDeclared(workflow, type);
    return toReceiveDecision(session, { ...identity, ...command });
  },
});

/** @throws {WorkflowError} INVALID_RECEIVE, INVALID_EVENT_TYPE, INVALID_DURATION, UNKNOWN_OPTION */
function toReceiveCommand(session: Session, options: ReceiveOptions): Checked {
  if (typeof options !== "object" || options === null) throw invalid("options", "an object");
  assertKnownOptions("step.receive", options, OPTIONS);
  const limits = toLimits(session.context.limits);
  const { types, count = EVENT_PAGE.rows, min = 1 } = options;
  const isList = Array.isArray(types) && types.length >= 1 && types.length <= MAX_WAIT_TYPES;
  if (!isList) throw invalid("types", `a list of 1 to ${MAX_WAIT_TYPES} event types`);
  if (!isWhole(count, 1, EVENT_PAGE.rows))
    throw invalid("count", `a whole number from 1 to ${EVENT_PAGE.rows}`);
  if (!isWhole(min, 1, count)) throw invalid("min", "a whole number from 1 to count");
  const parsed = [...types].map((type) => parseEventType(type, limits));
  return {
    types: parsed,
    waitTypes: toWaitTypes(parsed),
    min,
    count,
    timeoutMs: toTimeoutMs(session, options.timeout),
    maxBytes: limits.maxStepResultBytes,
  };
}

const isWhole = (value: unknown, from: number, to: number): boolean =>
  Number.isInteger(value) && Number(value) >= from && Number(value) <= to;

const invalid = (option: string, expected: string): WorkflowError =>
  new WorkflowError(
    "INVALID_RECEIVE",
    `${option} of step.receive is invalid; expected ${expected}`,
    {
      option,
    },
  );

/** Returns the decision function of the call. */
function toReceiveDecision(session: Session, command: ReceiveCommand): Call["decide"] {
  const { known, pending } = session;
  othersOf(pending);
  const { types, stepKey, waitTypes } = command;
  warnRetyped(session, known.openRecordOf(stepKey), { stepKey, called: waitTypes });
  return (): CallDecision => {
    const eventsKnown = eventsOf(known);
    const mayBeMore = eventsKnown.isUnread(...types);
    // Types may be known up to different sequences. Beyond the lowest of those, events may be missing.
    const upTo = mayBeMore ? eventsKnown.sequenceFor(types) : Infinity;
    const events = eventsKnown.list.filter(({ sequence }) => sequence <= upTo);
    const record = known.openRecordOf(stepKey);
    const decision = decideReceive(record, command, { now: known.now, events, mayBeMore });
    if (decision.kind === "read") return { kind: "read", eventTypes: types };
    if (decision.kind === "wait") return { ...decision, reason: "wake" };
    const { events: batch, completedBy, step, at } = decision;
    return { kind: "settle", batch, completedBy, step, at };
  };
}
