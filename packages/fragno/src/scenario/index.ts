/** @module Scenarios: workflows, their events and their fragments' tables, step by step, in time that only steps move. */
export type { FragmentInstantiation, FragmentsBuilder } from "./fragments-builder.ts";
export { defineScenario, runScenario } from "./run-scenario.ts";
export { ScenarioError } from "./scenario-error.ts";
export type { ScenarioSteps, VarFor } from "./step-inputs.ts";
export { createScenarioSteps } from "./steps.ts";
export type {
  Input,
  Scenario,
  ScenarioContext,
  ScenarioHarness,
  ScenarioResult,
  ScenarioStep,
} from "./types.ts";
