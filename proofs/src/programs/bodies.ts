/** Bodies that do right, and what drives them. */
import type { StepContext } from "@escapement/engine";
import type { Harness } from "@escapement/engine/testing";
import type { Program } from "./program.ts";

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
