/** Checks the arguments of scopes. */
import { WorkflowError } from "../../core/errors.ts";
import { assertKnownOptions } from "../../core/known-names.ts";
import { parseStepName } from "../../core/limits.ts";
import { showValue } from "../../core/show-value.ts";
import { escapeName } from "../../core/step-key.ts";
import type { WorkflowStep } from "../../authoring/step.ts";
import type { OpenScope } from "../open-scope.ts";

/** A branch: the name that author code gave it, and its part of step keys. */
export interface NamedBranch {
  readonly name: string;
  readonly part: string;
  readonly run: (step: WorkflowStep) => unknown;
}

/** @throws {WorkflowError} INVALID_SCOPE */
export function refuseScope({ kind, stepKey }: OpenScope, expected: string, got: unknown): never {
  throw new WorkflowError(
    "INVALID_SCOPE",
    `step.${kind} "${stepKey}" expected ${expected}; got ${describe(got)}`,
    { stepKey, kind },
  );
}

const describe = (value: unknown): string => {
  if (typeof value === "string" || typeof value === "number") return showValue(value);
  return Array.isArray(value) ? "an array" : typeof value;
};

/** @throws {WorkflowError} INVALID_SCOPE — it is not an object of functions; INVALID_STEP_NAME */
export function parseBranches(scope: OpenScope, given: unknown): readonly NamedBranch[] {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    refuseScope(scope, "an object of functions, by the names of its branches", given);
  const parse = createPartParser(scope);
  return Object.entries(given).map(([name, run]) => ({
    name,
    part: parse(name),
    run: parseFunction(scope, run, `a function as its branch ${showValue(name)}`),
  }));
}

/** @throws {WorkflowError} INVALID_SCOPE, UNKNOWN_OPTION */
export function parseOptions<TOptions extends object>(
  scope: OpenScope,
  given: unknown,
  known: Readonly<Record<keyof TOptions, 1>>,
): TOptions {
  if (typeof given !== "object" || given === null)
    refuseScope(scope, "an object of options", given);
  assertKnownOptions(`step.${scope.kind}`, given, known);
  return given as TOptions;
}

/** A function of author code. The types of `step` say what it takes. */
type GivenFunction = (...given: readonly unknown[]) => unknown;

/** @throws {WorkflowError} INVALID_SCOPE */
export function parseFunction(scope: OpenScope, given: unknown, expected: string): GivenFunction {
  if (typeof given !== "function") refuseScope(scope, expected, given);
  return given as GivenFunction;
}

/** Returns a function that makes one part of a key for each branch. @throws {WorkflowError} INVALID_STEP_NAME; INVALID_SCOPE — the name was used before */
export function createPartParser(scope: OpenScope): (name: string) => string {
  const parts = new Set<string>();
  return (name) => {
    const part = escapeName(parseStepName(name, scope.session.context.limits));
    if (parts.has(part)) refuseScope(scope, "a different name for each branch", name);
    parts.add(part);
    return part;
  };
}

/** @throws {WorkflowError} INVALID_SCOPE */
export function parseCount(
  scope: OpenScope,
  given: unknown,
  { name, min }: { readonly name: string; readonly min: number },
): number {
  const isCount = typeof given === "number" && Number.isInteger(given) && given >= min;
  return isCount ? given : refuseScope(scope, `an integer from ${min} as ${name}`, given);
}
