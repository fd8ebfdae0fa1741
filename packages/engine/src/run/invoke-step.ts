/**
 * @module `step.invoke`. The commit that records the step's wait creates the child. The child's id is computed from the run, the
 * step and the attempt. Loaded when a run first calls it.
 */
import { toLimits } from "../core/default-limits.ts";
import type { InvokeOptions } from "../authoring/invoke.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { findWorkflow } from "../authoring/find-workflow.ts";
import { paramsOf } from "../authoring/declared.ts";
import { parseRunOptions, RUN_OPTIONS } from "../authoring/run-options.ts";
import { validate } from "../authoring/validate.ts";
import { toFailedPayload } from "../core/child.ts";
import { encodeJson } from "../core/codec.ts";
import { childOf, decideInvoke, hasChild } from "../core/decide/invoke.ts";
import { NEVER_AT } from "../core/decide/park.ts";
import { WorkflowError } from "../core/errors.ts";
import { isSettled } from "../core/history/history.ts";
import { assertKnownInput } from "../core/known-inputs.ts";
import type { ChildCreated } from "../core/model/change.ts";
import type { HistoryStep, JsonText, OnParentEnd, StepRecord } from "../core/model/records.ts";
import { parseInstanceId } from "../core/request-ids.ts";
import type { CallDecision } from "./call.ts";
import type { Identified } from "./identify.ts";
import type { StepKind } from "./open-call.ts";
import type { Called } from "./open-prepared.ts";
import { formatUuid, hash } from "../core/hash.ts";
import type { Session } from "./session-interface.ts";
import { othersOf } from "./other-pending.ts";
import { eventsOf } from "./known-events.ts";

export { HeldChildren } from "./held-children.ts";

const OPTIONS: Readonly<Record<keyof InvokeOptions, 1>> = {
  params: 1,
  id: 1,
  name: 1,
  onParentEnd: 1,
  ...RUN_OPTIONS,
};

const ON_PARENT_END: readonly OnParentEnd[] = ["abandon", "terminate", "rollback"];

/** A call of `step.invoke`. */
export interface CalledInvoke extends Called {
  /** The child's workflow, or its name. */
  readonly child: { readonly name: string } | string | undefined;
  readonly options: InvokeOptions;
}

/**
 * Prepares the child, unless the history has it.
 *
 * @returns a function that opens the step
 * @throws {WorkflowError} WORKFLOW_NOT_FOUND, INVALID_PARAMS, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE, INVALID_INSTANCE_ID,
 *   INVALID_REQUEST, INVALID_DURATION, UNKNOWN_OPTION
 */
export async function prepareInvoke(called: CalledInvoke): Promise<() => void> {
  const { session, place, identified, outcome, open } = called;
  const { record } = identified;
  const child = isStarted(record) ? null : await describeChild(called);
  if (child === null && record !== null && !isSettled(record)) warnOther(called, record);
  const wait = createKind(session);
  return () => outcome.follow(open(place, wait, identified, child).then(toOutput));
}

const toOutput = (end: unknown): unknown => (end as { readonly output?: unknown }).output;

const isStarted = (record: HistoryStep | null): record is HistoryStep =>
  record !== null && (isSettled(record) || hasChild(record));

async function describeChild(called: CalledInvoke): Promise<ChildCreated> {
  const { session, identified, child, options } = called;
  assertOrder(child, options);
  assertKnownInput("step.invoke", options, OPTIONS);
  const workflow = findWorkflow(session.context.registry, nameOf(child));
  const params = await toParams(session, workflow, options);
  const { host } = session.context;
  const limits = toLimits(session.context.limits);
  return {
    kind: "childCreated",
    stepKey: identified.stepKey,
    workflowName: workflow.name,
    instanceId: parseInstanceId(toInstanceId(session, identified, options.id), limits),
    params,
    onParentEnd: parseOnParentEnd(options.onParentEnd),
    instanceRowId: host.newId(),
    taskRowId: host.newId(),
    claim: null,
    ...parseRunOptions(options, limits, host.now()),
    ...session.followed?.stamp(),
    refusal: { rowId: host.newId(), payload: toFailedPayload("refused") },
  };
}

/** Elsewhere, a step's name comes first. @throws {WorkflowError} UNKNOWN_OPTION, INVALID_STEP_NAME — nothing names the step */
function assertOrder(first: CalledInvoke["child"], second: object): void {
  const isSwapped = typeof first === "string" && "run" in Object(second);
  if (nameOf(first) !== "" && !isSwapped) return;
  const name = isSwapped ? JSON.stringify(first) : "…";
  const message =
    `step.invoke takes a workflow and then options: step.invoke(workflow, { name: ${name} }); ` +
    (isSwapped ? "got a workflow second" : `got ${first === null ? "null" : typeof first} first`);
  throw new WorkflowError(isSwapped ? "UNKNOWN_OPTION" : "INVALID_STEP_NAME", message);
}

const nameOf = (child: CalledInvoke["child"]): string =>
  typeof child === "string" ? child : (child?.name ?? "");

async function toParams(
  { context }: Session,
  workflow: RegisteredWorkflow,
  options: InvokeOptions,
): Promise<JsonText | null> {
  const misfit = paramsOf(workflow);
  const params = await validate(workflow.schema, options.params, misfit);
  return encodeJson(params, {
    maxBytes: toLimits(context.limits).maxParamsBytes,
    what: misfit.what,
    isPlural: true,
  });
}

/** The id is the same on every replay, and a different one for each attempt that `retry` adds. */
function toInstanceId(
  { claimed: { lease, run, keyNumber } }: Session,
  { stepKey, record }: Identified,
  given: string | undefined,
): string {
  const attempt = 1 + (record?.attempts ?? 0);
  if (given === undefined)
    return formatUuid(
      hash(`child/${lease.instanceRowId}/${run.runNumber}/${keyNumber}/${attempt}/${stepKey}`),
    );
  return attempt === 1 ? given : `${given}-${attempt}`;
}

/** @throws {WorkflowError} INVALID_REQUEST */
function parseOnParentEnd(onParentEnd: OnParentEnd = "abandon"): OnParentEnd {
  if (ON_PARENT_END.includes(onParentEnd)) return onParentEnd;
  const message = `onParentEnd of step.invoke is one of ${ON_PARENT_END.join(", ")}`;
  throw new WorkflowError("INVALID_REQUEST", message, { onParentEnd });
}

/** Warns that the code now names another workflow; the child in the history goes on. */
function warnOther({ session, child }: CalledInvoke, record: StepRecord): void {
  const workflowName = nameOf(child);
  const recorded = childOf(record).workflowName;
  if (recorded === workflowName) return;
  const { stepKey } = record;
  const called = workflowName;
  const fields = { stepKey, recorded, called };
  session.warnDiverged("the code invokes another workflow than the history", fields);
}

const createKind = ({
  known,
  pending,
}: Session): StepKind<ChildCreated | null, ChildCreated | null> => ({
  type: "invoke",
  check(child) {
    // This notes the child.
    othersOf(pending);
    return child;
  },
  toDecide: (identity, child) => (): CallDecision => {
    const record = known.openRecordOf(identity.stepKey);
    const decision = decideInvoke(record, { ...identity, child }, known.events.list);
    if (decision.kind === "settle") return decision;
    const { eventType, ...wait } = decision;
    if (eventsOf(known).isUnread(eventType)) return { kind: "read", eventTypes: [eventType] };
    return { ...wait, wake: { at: NEVER_AT }, reason: "wake" };
  },
});
