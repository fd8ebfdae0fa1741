/** Refuses calls: tells author code in its turn, and logs it, because author code may not await the call. */
import { toLogFields } from "../core/errors.ts";
import { showValue } from "../core/show-value.ts";
import { escapeName, toPath } from "../core/step-key.ts";
import { hasBeenFurther } from "./been-further.ts";
import type { Outcome } from "./outcome.ts";
import type { Session } from "./session.ts";
import { otherOutcomes } from "./late-code.ts";
import { Refusal } from "./refusal.ts";

/** A call that is refused. */
interface RefusedCall {
  readonly outcome: Outcome;
  readonly name: unknown;
  readonly error: unknown;
}

export function refuseCall(session: Session, refused: RefusedCall): void {
  const refuse = (error: unknown): void => {
    warnRefused(session, { ...refused, error });
    session.refuse(() => refused.outcome.reject(error));
  };
  const { error } = refused;
  if (Refusal.is(error)) session.code.with(otherOutcomes, ({ explain }) => refuse(explain(error)));
  else refuse(error);
}

/** Warns once per session and code, and not about calls that a replay repeats. */
export function warnRefused(session: Session, { outcome, name, error }: RefusedCall): void {
  const { code } = toLogFields(error);
  if (hasBeenFurther(session) || !session.refusals.isNews(code)) return;
  session.warn("step.refused", { stepKey: toPath(outcome.place.path, toShownName(name)), code });
}

/** The name that author code gave, cut to a length for display. */
export const toShownName = (name: unknown): string =>
  escapeName(typeof name === "string" && name.length <= 256 ? name : showValue(name));
