/** Says whether an earlier replay of the run got further than this one. */
import type { Session } from "./session-interface.ts";

/** Whether author code has called a step or a scope and waits for it. */
export const isCalled = ({ calls, scopes }: Session, stepKey: string): boolean =>
  calls.has(stepKey) || scopes.open.has(stepKey);

/** Whether history has a step that author code has not called yet, in this replay. */
export function hasBeenFurther(session: Session): boolean {
  const { known, order } = session;
  return (
    order.hasUncalled((stepKey) => isCalled(session, stepKey)) ||
    known.openRecords.some(({ stepKey }) => !isCalled(session, stepKey)) ||
    known.namedKeys.some((stepKey) => !isCalled(session, stepKey))
  );
}
