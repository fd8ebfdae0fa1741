/** The scopes that a step stands in, as history has them: whether they still run what it is in. */
import type { JsonText } from "./model/records.ts";
import type { StepType } from "./model/status.ts";
import { iterationOf } from "./iteration-key.ts";

/** What is read of a scope's row. */
export interface ScopeRow {
  readonly stepKey: string;
  readonly type: StepType;
  /** null: it is open. */
  readonly settledOrder: number | null;
  /** Of a loop: its position, at least the beginning of it. */
  readonly result: JsonText | null;
}

/** Keys at which scopes around a step may stand, outermost first. */
export function enclosingKeys(stepKey: string): readonly string[] {
  const keys: string[] = [];
  for (let at = stepKey.indexOf("/"); at > 0; at = stepKey.indexOf("/", at + 1))
    keys.push(stepKey.slice(0, at));
  return keys;
}

/**
 * Whether one of the scopes around a step has ended, or has come past the iteration that the step is in: rows of such steps
 * may be gone.
 */
export const hasLeft = (stepKey: string, scopes: readonly ScopeRow[]): boolean =>
  scopes.some(
    (scope) =>
      scope.settledOrder !== null ||
      (scope.type === "loop" &&
        (iterationOf(stepKey, scope.stepKey) ?? 0) < positionOf(scope.result)),
  );

/** The first iteration that a loop has not written down as done, of what `toLoopResult` wrote or began with. */
const positionOf = (result: JsonText | null): number =>
  Number(/^\{"iteration":(\d+)/.exec(result ?? "")?.[1] ?? 0);
