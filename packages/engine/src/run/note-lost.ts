/** Notes attempts whose bodies were abandoned before they ended. */
import { decideAttemptInterrupted } from "../core/decide/attempt-failed.ts";
import type { StepWrite } from "../core/model/change.ts";
import type { Session } from "./session-interface.ts";

/** They count as lost. */
export function noteLost(
  { pending, known }: Pick<Session, "pending" | "known">,
  lost: readonly StepWrite[],
): void {
  for (const started of lost) pending.add(decideAttemptInterrupted(started, known.clock.settle()));
}
