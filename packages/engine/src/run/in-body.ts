/** Calls of steps in the body of another step: its attempts would make them again, and a replay would not make them at all. */
import { hasBeenFurther } from "./been-further.ts";
import { enteredBody } from "./body.ts";
import { Refusal } from "./refusal.ts";
import { toShownName } from "./refuse-call.ts";
import type { Session } from "./session.ts";

/** Steps whose bodies run that a line of the log names. */
const MOST_NAMED = 5;

/**
 * Refuses a call that a body makes before it has awaited anything. What it calls later cannot be told from what a workflow calls
 * that has awaited something else than a step: the log is told, as neither is right.
 *
 * @throws {WorkflowError} STEP_IN_BODY
 */
export function assertNotInBody(session: Session, name: unknown): void {
  const body = enteredBody();
  const outer = body === null ? null : session.bodies.keyOf(body);
  if (outer !== null) throw new Refusal((texts) => texts.inBody(toShownName(name), outer));
  if (session.bodies.count > 0 && session.isAuthorWaiting) warnInBody(session, name);
}

/** Once in a session. */
function warnInBody(session: Session, name: unknown): void {
  const code = "STEP_IN_BODY";
  if (hasBeenFurther(session) || !session.refusals.isNews(code)) return;
  const bodies = [...session.bodies.inFlight.keys()].slice(0, MOST_NAMED);
  session.warn("step.called_in_body", { stepKey: toShownName(name), code, bodies });
}
