/** What is said of calls that are refused, or come too late. Loaded with the first of them. */
import { toLogFields } from "../core/errors.ts";
import { toPath } from "../core/step-key.ts";
import { hasBeenFurther } from "./been-further.ts";
import { MissingCode } from "./missing-code.ts";
import type { Outcome } from "./outcome.ts";
import { Refusal } from "./refusal.ts";
import * as RefusalTexts from "./refusal-texts.ts";
import type { Session } from "./session-interface.ts";
import { toShownName } from "./shown-name.ts";

/** A call that is refused. */
export interface RefusedCall {
  readonly outcome: Outcome;
  readonly name: unknown;
  readonly error: unknown;
}

/** A call, and the name of its step. */
export interface NamedCall {
  readonly session: Session;
  readonly outcome: Outcome;
  readonly identified: { readonly name: string };
}

/** Replaces a `Refusal` by its error; returns anything else unchanged. */
export const explain = (error: unknown): unknown =>
  Refusal.is(error) ? error.why(RefusalTexts) : error;

/** Tells author code in its turn, and logs it. */
export function deliverRefusal(session: Session, refused: RefusedCall): void {
  const error = explain(refused.error);
  warnRefused(session, { ...refused, error });
  session.refuse(() => refused.outcome.reject(error));
}

/** Tells author code and logs it now. Of missing code it is told nothing: the run is left to a process that has it. */
export function refuseAtOnce({ session, outcome, identified }: NamedCall, error: unknown): void {
  if (MissingCode.is(error)) return session.fail(error);
  warnRefused(session, { outcome, name: identified.name, error });
  outcome.reject(error);
}

/** Warns once per session and code, and not about calls that a replay repeats. */
function warnRefused(session: Session, { outcome, name, error }: RefusedCall): void {
  const { code } = toLogFields(error);
  if (hasBeenFurther(session) || !session.refusals.isNews(code)) return;
  session.warn("step.refused", { stepKey: toPath(outcome.place.path, toShownName(name)), code });
}

/** How many steps with running bodies a log line names. */
const MOST_NAMED = 5;

/** Warns once per session of a call that a body made after it had awaited something. */
export function warnInBody(session: Session, name: unknown): void {
  const code = "STEP_IN_BODY";
  if (hasBeenFurther(session) || !session.refusals.isNews(code)) return;
  const bodies = [...session.bodies.inFlight.keys()].slice(0, MOST_NAMED);
  session.warn("step.called_in_body", { stepKey: toShownName(name), code, bodies });
}

/** Logs a call that came after the end or the parking of the run. */
export function warnAfterEnd(session: Session, name: string): void {
  const stepKey = toShownName(name);
  const event = "step.called_after_end";
  if (!session.isAuthorDone)
    session.warn("step.called_after_park", { stepKey, code: "AWAIT_OUTSIDE_STEP" });
  else if (session.refusals.isNews(event)) session.warn(event, { stepKey, code: "SCOPE_CLOSED" });
}
