/** Refuses calls of steps in the body of another step. Each attempt would repeat them, and a replay would not make them at all. */
import { WorkflowError } from "../core/errors.ts";
import { enteredBody } from "./body.ts";
import { otherOutcomes } from "./late-code.ts";
import type { Session } from "./session-interface.ts";
import { toShownName } from "./shown-name.ts";

/**
 * Refuses a call that a body makes before it awaits anything. A later call looks the same as that of a workflow which awaited
 * something other than a step. Both are wrong, so it is only logged.
 *
 * @throws {WorkflowError} STEP_IN_BODY
 */
export function assertNotInBody(session: Session, name: unknown): void {
  const body = enteredBody();
  const outer = body === null ? null : session.bodies.keyOf(body);
  if (outer !== null) throw inBody(name, outer);
  if (session.bodies.count > 0 && session.isAuthorWaiting)
    session.code.with(otherOutcomes, ({ warnInBody }) => warnInBody(session, name));
}

/** Complete at once, and no `Refusal`: the outcome of some calls, such as `version`, is not awaited. */
function inBody(name: unknown, outerKey: string): WorkflowError {
  const stepKey = toShownName(name);
  return new WorkflowError(
    "STEP_IN_BODY",
    `step "${stepKey}" was called in the body of step "${outerKey}"; call it after that step or before it`,
    { stepKey, outerKey },
  );
}
