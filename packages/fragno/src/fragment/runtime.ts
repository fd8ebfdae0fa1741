/** The time and randomness of a fragment, in Fragno's own form. */
import type { Host } from "@escapement/engine/internal";
import { WorkflowError } from "@escapement/engine";

/** Fragno's runtime, which later versions of `@fragno-dev/core` export themselves. */
export interface FragnoRuntime {
  readonly time: { readonly now: () => Date };
  readonly random: {
    /** A random number in [0, 1). */
    readonly float: () => number;
    readonly uuid: () => string;
    readonly cuid: () => string;
  };
}

/** The process's clock, and Web Crypto. */
export const defaultFragnoRuntime: FragnoRuntime = {
  time: { now: () => new Date() },
  random: {
    float: () => Math.random(),
    uuid: () => crypto.randomUUID(),
    cuid: () => `c${crypto.randomUUID().replaceAll("-", "").slice(0, 23)}`,
  },
};

/**
 * The parts that the engine needs: the clock for time budgets and for the order of new ids, randomness for delays.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID — it is missing, or has no clock or no randomness
 */
export function toHost(runtime: FragnoRuntime): Partial<Host> {
  const { time, random }: Partial<FragnoRuntime> = Object(runtime);
  if (typeof time?.now !== "function" || typeof random?.float !== "function") {
    throw new WorkflowError(
      "DEPLOY_OPTIONS_INVALID",
      "runtime must have time.now() and random.float(); give defaultFragnoRuntime",
      { path: "runtime", expected: "defaultFragnoRuntime" },
    );
  }
  return { now: () => time.now().getTime(), random: () => random.float() };
}
