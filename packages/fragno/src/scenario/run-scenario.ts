/** Runs a scenario from its first step to its last. */
import type { WorkflowsRegistry } from "@escapement/engine";
import { ScenarioError } from "./scenario-error.ts";
import { openStage } from "./stage.ts";
import type { ScenarioFragments } from "./fragments-builder.ts";
import type { Scenario, ScenarioResult, ScenarioVars } from "./types.ts";

/** Gives a scenario its types. */
export function defineScenario<
  const TRegistry extends WorkflowsRegistry,
  TVars extends ScenarioVars,
  TFragments extends ScenarioFragments = ScenarioFragments,
>(scenario: Scenario<TRegistry, TVars, TFragments>): Scenario<TRegistry, TVars, TFragments> {
  return scenario;
}

/**
 * Runs a scenario on its own database, with time that only its steps move.
 *
 * @returns what its steps stored
 * @throws {ScenarioError} a step failed: the message names step and scenario, and `cause` is the error
 */
export async function runScenario<
  TRegistry extends WorkflowsRegistry,
  TVars extends ScenarioVars,
  TFragments extends ScenarioFragments,
>(scenario: Scenario<TRegistry, TVars, TFragments>): Promise<ScenarioResult<TVars>> {
  const vars: Partial<TVars> = { ...scenario.vars };
  const stage = await openStage(scenario, vars as TVars);
  try {
    for (const [index, { label, storeAs, run }] of scenario.steps.entries()) {
      const where = { scenario: scenario.name, step: index + 1, stepCount: scenario.steps.length };
      const result = await attempt(() => run(stage.context), { ...where, label });
      if (storeAs !== null) vars[storeAs] = result as TVars[typeof storeAs];
    }
  } finally {
    await stage.close();
  }
  return { vars: vars as TVars };
}

async function attempt(
  act: () => unknown,
  failed: ConstructorParameters<typeof ScenarioError>[0],
): Promise<unknown> {
  try {
    return await act();
  } catch (cause) {
    throw new ScenarioError(failed, cause);
  }
}
