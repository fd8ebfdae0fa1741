/** The types of steps that are decided without code that is loaded for them. */
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import type { StepOptions } from "../authoring/step-options.ts";
import {
  type ResolvedStepConfig,
  resolveStepConfig,
  RETRIES_OPTIONS,
} from "../authoring/step-config.ts";
import type { WorkflowDuration } from "../core/duration.ts";
import { WorkflowError } from "../core/errors.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import type { When } from "../core/model/change.ts";
import { type DoBody, toDoDecision } from "./do-step.ts";
import type { StepKind } from "./open-call.ts";
import type { Session } from "./session.ts";
import { sleepFor, sleepTo, toSleepDecision } from "./sleep-step.ts";

/** Every option of `step.do`; the last one is for steps that write into other tables. */
const DO_OPTIONS: Readonly<Record<keyof StepOptions<unknown> | "onTerminalError", 1>> = {
  retries: 1,
  timeout: 1,
  undo: 1,
  onTerminalError: 1,
};

/** Those of a session, made when they are called: most runs call one of them. */
export class StepKinds {
  readonly #session: Session;
  readonly #workflow: RegisteredWorkflow;
  #do: ReturnType<typeof createDoKind> | null = null;

  constructor(session: Session, workflow: RegisteredWorkflow) {
    this.#session = session;
    this.#workflow = workflow;
  }

  get do(): ReturnType<typeof createDoKind> {
    return (this.#do ??= createDoKind(this.#session, this.#workflow));
  }

  get sleep(): StepKind<WorkflowDuration, When> {
    return createSleepKind(this.#session, sleepFor);
  }

  get sleepUntil(): StepKind<Date | number, When> {
    return createSleepKind(this.#session, sleepTo);
  }
}

interface GivenDo {
  readonly options?: StepOptions<unknown>;
  readonly body: DoBody;
}

const createDoKind = (
  session: Session,
  workflow: RegisteredWorkflow,
): StepKind<GivenDo, ResolvedStepConfig> => ({
  type: "do",
  check({ options }, stepKey) {
    if (options === undefined) return workflow.stepConfig;
    const undo = session.undos.note(stepKey, options.undo);
    // What is wrong with it is found out now, and not when it is needed.
    if (undo !== null) resolveStepConfig(workflow.stepDefaults, undo);
    return resolveStepConfig(workflow.stepDefaults, options);
  },
  toDecide(identity, config, { options, body }) {
    assertBodyLast(identity.stepKey, options, body);
    assertKnownOptions("step.do", options, DO_OPTIONS);
    assertKnownOptions("retries", options?.retries, RETRIES_OPTIONS);
    session.transactions?.expect(workflow, identity.stepKey, options ?? {});
    return toDoDecision(session, { identity, config, body });
  },
});

/** Without a body, or with more than that behind it. @throws {WorkflowError} INVALID_SCOPE */
function assertBodyLast(stepKey: string, options: unknown, body: unknown): void {
  if (typeof body === "function" && typeof options !== "function") return;
  const given = (options === undefined ? [] : [typeof options]).concat(
    body === undefined ? [] : typeof body,
  );
  throw new WorkflowError(
    "INVALID_SCOPE",
    `step.do "${stepKey}" expected a body, or options and then a body; got ${given.join(" and then ") || "neither"}`,
    { stepKey, kind: "do" },
  );
}

const createSleepKind = <T>(
  session: Session,
  toWhen: (session: Session, given: T) => When,
): StepKind<T, When> => ({
  type: "sleep",
  check: (given) => toWhen(session, given),
  toDecide: (identity, wake) => toSleepDecision(session, { ...identity, wake }),
});
