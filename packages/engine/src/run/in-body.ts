/** Refuses calls of steps in the body of another step. Each attempt would repeat them, and a replay would not make them at all. */
import { enteredBody } from "./body.ts";
import { otherOutcomes } from "./late-code.ts";
import { Refusal } from "./refusal.ts";
import type { Session } from "./session.ts";

/**
 * Refuses a call that a body makes before it awaits anything. A later call looks the same as that of a workflow which awaited
 * something other than a step. Both are wrong, so it is only logged.
 *
 * @throws {WorkflowError} STEP_IN_BODY
 */
export function assertNotInBody(session: Session, name: unknown): void {
  const body = enteredBody();
  const outer = body === null ? null : session.bodies.keyOf(body);
  if (outer !== null) throw new Refusal((texts) => texts.inBody(name, outer));
  if (session.bodies.count > 0 && session.isAuthorWaiting)
    session.code.with(otherOutcomes, ({ warnInBody }) => warnInBody(session, name));
}
