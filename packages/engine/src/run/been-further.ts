/** How far an earlier replay of the run has been. */
import type { Session } from "./session.ts";

/** Whether history has a step that author code has not called yet, in this replay. */
export function hasBeenFurther({ known, order, calls, scopes }: Session): boolean {
  const isCalled = (key: string): boolean => calls.has(key) || scopes.has(key);
  return (
    order.hasUncalled(isCalled) ||
    known.openRecords.some(({ stepKey }) => !isCalled(stepKey)) ||
    known.namedKeys.some((stepKey) => !isCalled(stepKey))
  );
}
