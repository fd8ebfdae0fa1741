/** A workflow that makes callbacks. */
import { expect } from "vitest";
import { defineWorkflow, type WorkflowEvent, type WorkflowStep } from "../index.ts";
import { createHarness, type Harness } from "../testing/harness.ts";
import { signCallback } from "./callback-token.ts";

/** The present key, and one before it. */
export const KEYS = [
  "first-key-of-35-characters-or-more!",
  "other-key-of-35-characters-or-more!",
] as const;
/** Where the API is. */
export const URL_OF_API = "https://acme.dev/api/workflows";
/** The option `callbacks`. */
export const signing = { signingKeys: KEYS, url: URL_OF_API, namespace: "" };

/** The body of the workflow. */
export type Body = (step: WorkflowStep, event: WorkflowEvent<unknown>) => unknown;

/** Creates the one instance, and looks at its rows. */
export async function play(
  body: Body,
  options: { readonly repeatedNames?: "cached"; readonly callbacks?: undefined } = {},
): Promise<Harness<never>> {
  const { repeatedNames = "occurrences", ...others } = options;
  const workflow = defineWorkflow({ name: "w", repeatedNames }, async (event, step) =>
    body(step, event),
  );
  const harness = createHarness({
    workflows: { W: workflow },
    callbacks: { signingKeys: KEYS, url: `${URL_OF_API}/` },
    ...others,
  } as Parameters<typeof createHarness>[0]);
  await harness.engine.createInstance("w", { id: "x" });
  return harness as unknown as Harness<never>;
}

/** Steps of a run, each as its key and status. */
export const rowsOf = async (
  harness: Harness<never>,
  runNumber?: number,
): Promise<readonly string[]> =>
  (await harness.history("w", "x", runNumber)).steps.map(
    ({ stepKey, type, status }) => `${stepKey} ${type} ${status}`,
  );

/** The token of a step. */
export const tokenOf = (stepKey: string, runNumber = 1): Promise<string> =>
  signCallback(signing, { workflowName: "w", instanceId: "x", runNumber, stepKey });

/** An error of a code. */
export const code = (expected: string): unknown => expect.objectContaining({ code: expected });
