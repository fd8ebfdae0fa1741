/** `step.try`: runs a function and returns its result or its error as a value. */
import { toFailed } from "../attempted.ts";
import type { Branching, ScopeEnd } from "./branching.ts";
import { parseFunction } from "./parse.ts";

export async function runTry(branching: Branching, [given]: readonly unknown[]): Promise<ScopeEnd> {
  const run = parseFunction(branching.scope, given, "a function of a step");
  const end = await branching.run(null, run);
  const value = end.ok ? end : toFailed(end.error);
  return { told: { ok: true, value }, result: null };
}
