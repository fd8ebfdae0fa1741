/** Abandons bodies before they have ended. */
import { decideAttemptInterrupted } from "../core/decide/attempt.ts";
import type { Session } from "./session.ts";

/** Aborts their signals; their attempts count as lost. */
export function loseBodies(
  { bodies, pending, known }: Pick<Session, "bodies" | "pending" | "known">,
  reason: string,
): void {
  for (const started of bodies.drop(reason))
    pending.add(decideAttemptInterrupted(started, known.clock.settle()));
}
