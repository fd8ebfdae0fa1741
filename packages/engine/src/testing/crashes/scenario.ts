/** The scenario of a workflow whose process dies at each point. */
import type { WorkflowInstance } from "../../authoring/bindings.ts";
import type { WorkflowsRegistry } from "../../authoring/registry.ts";
import type { EventSchemas, NoEvents } from "../../authoring/events.ts";
import { assertKnownOptions } from "../../core/known-names.ts";
import type { Harness, HarnessOptions } from "../harness.ts";

/** What a scenario can do with the instance. */
export type DrivenInstance<TOutput = unknown, TEvents extends EventSchemas = NoEvents> = Omit<
  WorkflowInstance<TOutput, TEvents>,
  "result" | "fork"
>;

/** The parts of the harness that keep working when the process dies during a call. */
export type DrivenHarness = Pick<
  Harness<WorkflowsRegistry>,
  "clock" | "log" | "runUntilIdle" | "runThroughTime"
>;

/** The scenario of a workflow. It is played again for each crash, so it must do the same each time. */
export interface CrashScenario<
  TInput = unknown,
  TOutput = unknown,
  TEvents extends EventSchemas = NoEvents,
> {
  /** The params of the instance. @default none */
  readonly params?: TInput;
  /** What happens after the instance is created: time, events, commands. @default `harness.runThroughTime()` */
  readonly drive?: (
    harness: DrivenHarness,
    instance: DrivenInstance<TOutput, TEvents>,
  ) => Promise<unknown>;
  /** Called before each play, to empty your fakes. @default nothing */
  readonly setup?: () => unknown;
  /**
   * Steps whose bodies may run twice without their idempotency key, because they only read, or write the same again: by name,
   * or by path without occurrences and iterations (`book/hotel/reserve`, `pay/undo`). @default none
   */
  readonly safeToRepeat?: readonly string[];
  /** The most crashes to play. If there are more points, as many are chosen, evenly spread. @default 200 @minimum 1 */
  readonly maxCrashes?: number;
  /**
   * `Date` follows virtual time and is 25 hours later after a crash, and `Math.random()` then returns numbers from its other
   * half, so that whatever depends on them shows. false: both are left alone. @default true
   */
  readonly shiftGlobals?: boolean;
  /** Workflows that the workflow creates, by binding key. @default none */
  readonly workflows?: WorkflowsRegistry;
  /** More options of the engine. */
  readonly engine?: Omit<HarnessOptions<WorkflowsRegistry>, "workflows" | "store" | "runnerId">;
}

/** A scenario with every default filled in, whatever the types of its workflow. */
export type AnyScenario = Required<Omit<CrashScenario, "drive">> & {
  readonly drive: (harness: DrivenHarness, instance: DrivenInstance) => Promise<unknown>;
};

const OPTIONS: Readonly<Record<keyof CrashScenario, 1>> = {
  params: 1,
  drive: 1,
  setup: 1,
  safeToRepeat: 1,
  maxCrashes: 1,
  shiftGlobals: 1,
  workflows: 1,
  engine: 1,
};

/** @throws {WorkflowError} UNKNOWN_OPTION. @throws {RangeError} `maxCrashes` is not an integer from 1 */
export function parseScenario(given: object): AnyScenario {
  assertKnownOptions("crashEverywhere", given, OPTIONS);
  const scenario: AnyScenario = {
    params: undefined,
    drive: (harness) => harness.runThroughTime(),
    setup: () => undefined,
    safeToRepeat: [],
    maxCrashes: 200,
    shiftGlobals: true,
    workflows: {},
    engine: {},
    ...given,
  };
  const { maxCrashes } = scenario;
  if (!Number.isInteger(maxCrashes) || maxCrashes < 1)
    throw new RangeError(`maxCrashes is ${maxCrashes}; expected an integer from 1`);
  return scenario;
}
