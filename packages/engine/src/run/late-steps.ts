/** Steps whose code is loaded when a run first calls them: what is known of a call before that. */
import type { InvokeOptions } from "../authoring/invoke.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import type { StepType } from "../core/model/status.ts";
import { late } from "../core/late.ts";
import { loadOrThrow } from "./missing-code.ts";
import { type CallingAt, openPrepared, type PreparedKind } from "./open-prepared.ts";
import type { LateStep } from "./prepare-steps.ts";

const prepareSteps = late(() => import("./prepare-steps.ts"));

interface LateKind extends Pick<PreparedKind, "isReserved" | "mayBeUnawaited"> {
  readonly type: StepType;
  /** Finds the step's name among the arguments. @default the first argument */
  readonly toName?: (first: unknown, options?: InvokeOptions) => string;
}

/** The name of a workflow or topic, which is given by name or by declaration. */
const nameOf = (declared: unknown): string =>
  typeof declared === "string" ? declared : ((declared as { name?: string } | null)?.name ?? "");

const KINDS: Readonly<Record<LateStep, LateKind>> = {
  receive: { type: "receive", isReserved: true },
  callback: { type: "waitForEvent" },
  waitForTopic: { type: "waitForTopic", isReserved: true },
  emit: { type: "emit", isReserved: true, mayBeUnawaited: true, toName: nameOf },
  progress: { type: "progress", isReserved: true, mayBeUnawaited: true, toName: () => "progress" },
  invoke: {
    type: "invoke",
    // What is wrong with arguments without any name is told later, as of other arguments.
    toName: (child, options) =>
      (typeof options === "object" ? options?.name : undefined) ?? (nameOf(child) || "invoke"),
  },
};

/** Creates these steps for a place. */
export function createLateSteps(
  at: CallingAt,
  workflow: RegisteredWorkflow,
): Readonly<Record<LateStep, unknown>> {
  const create =
    (step: LateStep) =>
    (...given: readonly never[]): Promise<unknown> => {
      const [first, options] = given;
      const { toName, ...kind } = KINDS[step];
      return openPrepared(at, {
        ...kind,
        name: toName === undefined ? (first as unknown as string) : toName(first, options),
        prepare: async (called) =>
          (await loadOrThrow(prepareSteps)).PREPARE[step]({ ...called, workflow }, ...given),
      });
    };
  const steps = Object.keys(KINDS).map((step) => [step, create(step as LateStep)]);
  return Object.fromEntries(steps) as Record<LateStep, unknown>;
}
