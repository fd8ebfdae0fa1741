/** Refuses calls of steps in the body of another step. Each attempt would repeat them, and a replay would not make them at all. */
import { hasBeenFurther } from "./been-further.ts";
import { enteredBody } from "./body.ts";
import { Refusal } from "./refusal.ts";
import { toShownName } from "./refuse-call.ts";
import type { Session } from "./session.ts";

/** How many steps with running bodies a log line names. */
const MOST_NAMED = 5;

/**
 * Refuses a call that a body makes before it awaits anything. A later call looks the same as that of a workflow which awaited
 * something other than a step. Both are wrong, so it is only logged.
 *
 * @throws {WorkflowError} STEP_IN_BODY
 */
export function assertNotInBody(session: Session, name: unknown): void {
  const body = enteredBody();
  const outer = body === null ? null : session.bodies.keyOf(body);
  if (outer !== null) throw new Refusal((texts) => texts.inBody(toShownName(name), outer));
  if (session.bodies.count > 0 && session.isAuthorWaiting) warnInBody(session, name);
}

/** Warns once per session. */
function warnInBody(session: Session, name: unknown): void {
  const code = "STEP_IN_BODY";
  if (hasBeenFurther(session) || !session.refusals.isNews(code)) return;
  const bodies = [...session.bodies.inFlight.keys()].slice(0, MOST_NAMED);
  session.warn("step.called_in_body", { stepKey: toShownName(name), code, bodies });
}
