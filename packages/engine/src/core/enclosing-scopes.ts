/** The scopes around a step, as history has them: whether they can still run the step. */
import type { JsonText } from "./model/records.ts";
import type { StepType } from "./model/status.ts";
import { iterationOf } from "./iteration-key.ts";

/** The columns of a scope's row that are read. */
export interface ScopeRow {
  readonly stepKey: string;
  readonly type: StepType;
  /** null: it is open. */
  readonly settledOrder: number | null;
  /** A loop's position, or at least the beginning of it. */
  readonly result: JsonText | null;
}

/** The keys at which scopes around a step may be, outermost first. */
export function enclosingKeys(stepKey: string): readonly string[] {
  const keys: string[] = [];
  for (let at = stepKey.indexOf("/"); at > 0; at = stepKey.indexOf("/", at + 1))
    keys.push(stepKey.slice(0, at));
  return keys;
}

/**
 * Whether one of the scopes around a step has ended, or is past the step's iteration. The rows of such steps may be gone.
 */
export const hasLeft = (stepKey: string, scopes: readonly ScopeRow[]): boolean =>
  scopes.some(
    (scope) =>
      scope.settledOrder !== null ||
      (scope.type === "loop" &&
        (iterationOf(stepKey, scope.stepKey) ?? 0) < positionOf(scope.result)),
  );

/** The first iteration that a loop has not stored as done, read from the text of `toLoopResult` or its beginning. */
const positionOf = (result: JsonText | null): number =>
  Number(/^\{"iteration":(\d+)/.exec(result ?? "")?.[1] ?? 0);
