/** Steps whose code is loaded when a run first calls them: what of their calls is known before. */
import type { InvokeOptions } from "../authoring/invoke.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import type { StepType } from "../core/model/status.ts";
import { late } from "../core/late.ts";
import { type CallingAt, openPrepared, type PreparedKind } from "./open-prepared.ts";

const prepareSteps = late(() => import("./prepare-steps.ts"));

export type LateStep = "receive" | "callback" | "waitForTopic" | "emit" | "progress" | "invoke";

interface LateKind extends Pick<PreparedKind, "isReserved" | "isTold"> {
  readonly type: StepType;
  /** Its name by what author code gives. @default what is given first */
  readonly toName?: (first: unknown, options?: InvokeOptions) => string;
}

/** Of a workflow or a topic: its name, or the declaration that has it. */
const nameOf = (declared: unknown): string =>
  typeof declared === "string" ? declared : ((declared as { name?: string } | null)?.name ?? "");

const KINDS: Readonly<Record<LateStep, LateKind>> = {
  receive: { type: "receive", isReserved: true },
  callback: { type: "waitForEvent" },
  waitForTopic: { type: "waitForTopic", isReserved: true },
  emit: { type: "emit", isReserved: true, isTold: true, toName: nameOf },
  progress: { type: "progress", isReserved: true, isTold: true, toName: () => "progress" },
  invoke: { type: "invoke", toName: (child, options) => options?.name ?? nameOf(child) },
};

/** Those of a place. @param at the place, and what opens the steps that they are among */
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
          (await prepareSteps()).PREPARE[step]({ ...called, workflow }, ...given),
      });
    };
  const steps = Object.keys(KINDS).map((step) => [step, create(step as LateStep)]);
  return Object.fromEntries(steps) as Record<LateStep, unknown>;
}
