/** The kinds of steps whose code is always loaded. */
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import type { StepOptions } from "../authoring/step-options.ts";
import {
  type ResolvedStepConfig,
  resolveStepConfig,
  RETRIES_OPTIONS,
} from "../authoring/step-config.ts";
import type { WorkflowDuration } from "../core/duration.ts";
import { hasOnlyKnown } from "../core/only-known.ts";
import type { When } from "../core/model/change.ts";
import type { DoBody } from "./body.ts";
import { toDoDecision } from "./do-step.ts";
import type { StepKind } from "./open-call.ts";
import type { Session } from "./session-interface.ts";
import { createSleepKind, sleepFor } from "./sleep-step.ts";
import { type Late, late, requireLoaded } from "../core/late.ts";
import type * as NoteUndo from "./note-undo.ts";
import { Refusal } from "./refusal.ts";

/** Every option of `step.do`; the last one is for steps that write into other tables. */
const DO_OPTIONS: Readonly<Record<keyof StepOptions<unknown> | "onTerminalError", 1>> = {
  retries: 1,
  timeout: 1,
  undo: 1,
  onTerminalError: 1,
};

/** Loaded before a step with an undo is called. */
export const undoing: Late<typeof NoteUndo> = late(() => import("./note-undo.ts"));

/** The kinds of a session, each created on its first call: most runs use one of them. */
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
}

/** The arguments of `step.do` besides the name. */
export interface GivenDo {
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
    const { undo } = options;
    if (undo !== undefined) {
      const ownOptions = requireLoaded(undoing).noteUndo(session.undos, stepKey, undo);
      // Check it now, and not only when it is needed.
      assertKnown("retries", ownOptions.retries, RETRIES_OPTIONS);
      resolveStepConfig(workflow.stepDefaults, ownOptions);
    }
    return resolveStepConfig(workflow.stepDefaults, options);
  },
  toDecide(identity, config, { options, body }) {
    assertBodyLast(identity.stepKey, options, body);
    assertKnown("step.do", options, DO_OPTIONS);
    assertKnown("retries", options?.retries, RETRIES_OPTIONS);
    session.transactions?.expect(workflow, identity.stepKey, options ?? {});
    return toDoDecision(session, { identity, config, body });
  },
});

/** Refuses a call without a body, or with arguments after the body. @throws {Refusal} INVALID_SCOPE */
function assertBodyLast(stepKey: string, options: unknown, body: unknown): void {
  if (typeof body !== "function" || typeof options === "function")
    throw new Refusal((texts) => texts.bodyNotLast(stepKey, options, body));
}

/** @param of whose options they are @throws {Refusal} UNKNOWN_OPTION */
function assertKnown(of: string, given: object | undefined, known: object): void {
  if (!hasOnlyKnown(given, known))
    throw new Refusal((texts) => texts.unknownOption(of, given, known));
}
