/** Finds which step of the run a call is. The same for steps and scopes. */
import { WorkflowError } from "../core/errors.ts";
import { parseStepName } from "../core/limits.ts";
import { showValue } from "../core/show-value.ts";
import type { HistoryStep } from "../core/model/records.ts";
import type { StepType } from "../core/model/status.ts";
import { isCalled } from "./been-further.ts";
import { assertNotInBody } from "./in-body.ts";
import type { Place } from "./place.ts";
import type { Session } from "./session-interface.ts";
import { Refusal } from "./refusal.ts";

/** The most characters of a step's key in a scope: an entry of a Postgres index takes 2 704 bytes in all (18.4, 2026-11). */
const MAX_PATH_LENGTH = 768;

/** It is a class, so that nothing that author code passes as a name can be mistaken for it. */
export class Identified {
  /** Without outer white space. */
  readonly name: string;
  readonly stepKey: string;
  /** Its record in the history; null: none. */
  readonly record: HistoryStep | null;
  /** The call has a reserved place among the calls. */
  readonly isReserved: boolean;

  constructor({ name, stepKey, record }: Found, isReserved: boolean) {
    this.name = name;
    this.stepKey = stepKey;
    this.record = record;
    this.isReserved = isReserved;
  }
}

/** What the place of a call says about its step. A plain object: a replay makes one for every step. */
export type Found = Pick<Identified, "name" | "stepKey" | "record">;

/**
 * Finds the key of a call at a place. null: the history has another type of step there, so the run fails, whatever the author
 * catches.
 *
 * @param type null: the step has no row
 * @throws {WorkflowError} INVALID_STEP_NAME, STEP_KEY_DUPLICATE, SCOPE_CLOSED, STEP_IN_BODY
 */
export function identify(
  session: Session,
  place: Place,
  type: StepType | null,
  givenName: unknown,
): Found | null {
  if (place.hasEnded) throw scopeClosed(place, givenName);
  assertNotInBody(session, givenName);
  const name = parseStepName(givenName, session.context.limits);
  const isOfItsOwn = type === "progress";
  const calls = place.callsOf(name);
  if (calls > 0 && !isOfItsOwn && isInFlight(session, place.keyOf(name, calls)))
    throw duplicate(name);
  const stepKey = place.nextKey(name, calls, isOfItsOwn);
  if (isTooDeep(place, stepKey)) throw tooDeep(stepKey);
  const record = session.known.recordOf(stepKey);
  if (record === null || record.type === type) return { name, stepKey, record };
  return failDiverged(session, record, type);
}

/** Apart, because what a closure captures is allocated at each call of the function that it is in. */
function failDiverged(
  session: Session,
  { stepKey, type: recorded }: HistoryStep,
  type: StepType | null,
): null {
  session.fail(new Refusal((texts) => texts.diverged(stepKey, recorded, type)));
  return null;
}

/** The same for a call whose key was found before. @throws {WorkflowError} STEP_KEY_DUPLICATE, SCOPE_CLOSED */
export function identifyAgain(
  session: Session,
  place: Place,
  { name, stepKey, isReserved }: Identified,
): Found {
  if (place.hasEnded) throw scopeClosed(place, name);
  if (!isReserved && isInFlight(session, stepKey)) throw duplicate(name);
  return { name, stepKey, record: session.known.recordOf(stepKey) };
}

/** An undo's key continues its step's key, which may have the full length, so it is exempt. */
const isTooDeep = ({ path, isOfStep }: Place, { length }: string): boolean =>
  path !== "" && !isOfStep && length > MAX_PATH_LENGTH;

/** Whether author code has called the step and has not been told its outcome yet. */
function isInFlight(session: Session, stepKey: string): boolean {
  const settledOrder = session.known.recordOf(stepKey)?.settledOrder ?? null;
  const isWaiting = settledOrder !== null && session.order.isWaiting(settledOrder);
  return isWaiting || isCalled(session, stepKey);
}

const duplicate = (name: string): WorkflowError =>
  new WorkflowError(
    "STEP_KEY_DUPLICATE",
    `step "${name}" is already in flight; give each step its own name`,
    { stepKey: name },
  );

/** The error of a call at a place that has ended. */
export const scopeClosed = ({ path }: Place, name: unknown): WorkflowError =>
  new WorkflowError(
    "SCOPE_CLOSED",
    `step ${showValue(name)} was called in ${path === "" ? "the workflow" : `"${path}"`}, which has ended; await every step in it`,
    { path },
  );

const tooDeep = (stepKey: string): WorkflowError =>
  new WorkflowError(
    "INVALID_STEP_NAME",
    `a path of ${stepKey.length} characters; expected at most ${MAX_PATH_LENGTH}`,
    { length: stepKey.length, maxLength: MAX_PATH_LENGTH },
  );
