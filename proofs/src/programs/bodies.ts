/** Bodies that do right, and what drives them. */
import { defineWorkflow, type StepContext, type WorkflowStep } from "@escapement/engine";
import type { Harness } from "@escapement/engine/testing";
import type { Program } from "./program.ts";

export const HOUR_MS = 3_600_000;

/** The workflow of a program. */
export const define = (run: (step: WorkflowStep) => unknown) =>
  defineWorkflow({ name: "w" }, (_event, step) => run(step));

/** Of an engine whose runs hand out callbacks. */
export const CALLBACKS = {
  signingKeys: ["a-key-of-thirty-two-characters-or-more"],
  url: "https://acme.dev/api",
} as const;

/** Passes its idempotency key on. */
export const key = ({ idempotencyKey }: StepContext): string => idempotencyKey;

/** A body that fails so often, and then gives a value. */
export function failing(times: number, error: () => Error = () => new TypeError("not yet")) {
  return (context: StepContext): string => {
    key(context);
    if (context.attempt <= times) throw error();
    return "at last";
  };
}

/** The harness that drives a program, with all that it has. */
export const wholeOf = (harness: Parameters<Program["scenario"]["drive"]>[0]): Harness<never> =>
  harness as unknown as Harness<never>;
