/** Types only: the parts of a scenario. */
import type { Database } from "@escapement/db";
import type { AnySchema } from "@fragno-dev/db/schema";
import type { SimpleQueryInterface } from "@fragno-dev/db/query";
import type {
  Bindings,
  EngineService,
  InstanceStatus,
  WorkflowDuration,
  WorkflowsRegistry,
} from "@escapement/engine";
import type { EpochMs, HistoryOutput } from "@escapement/engine/internal";
import type { LogLine } from "@escapement/engine/testing";
import type { FragmentsBuilder, ScenarioFragments } from "./fragments-builder.ts";

/** Names and values that a scenario keeps between its steps. */
export type ScenarioVars = object;

/** A registry key, by which scenarios address workflows. */
export type WorkflowKey<TRegistry extends WorkflowsRegistry> = keyof TRegistry & string;

/** The context of a scenario's steps, of `read` and of `assert`. */
export interface ScenarioContext<
  TRegistry extends WorkflowsRegistry,
  TVars extends ScenarioVars,
  TFragments extends ScenarioFragments = ScenarioFragments,
> {
  /** What earlier steps stored; undefined until then. */
  readonly vars: Readonly<TVars>;
  /** Typed handles by registry key, of the current runner. */
  readonly workflows: Bindings<TRegistry>;
  /** The engine's service, by workflow name. */
  readonly engine: EngineService;
  /** The application's fragments, of the current runner. */
  readonly fragments: TFragments;
  /** Log lines of the engine so far. */
  readonly log: readonly LogLine[];
  /** The scenario's time. */
  now(): EpochMs;
  status(workflow: WorkflowKey<TRegistry>, instanceId: string): Promise<InstanceStatus>;
  /** Steps and events of a run. @default the current run */
  history(
    workflow: WorkflowKey<TRegistry>,
    instanceId: string,
    runNumber?: number,
  ): Promise<HistoryOutput>;
  /** Queries of a schema's tables: `context.db(mySchema).find("event", (b) => b.whereIndex("primary"))`. */
  db<TSchema extends AnySchema>(schema: TSchema): SimpleQueryInterface<TSchema>;
  /** Ticks and runs hooks until nothing is due. */
  runUntilIdle(): Promise<void>;
  /** Starts a tick without waiting for its end, for bodies that hang until the runner dies. */
  startTick(): Promise<void>;
  /** Moves time. Timers fire, but nothing is ticked. */
  advanceTime(by: WorkflowDuration): Promise<void>;
  /** Kills the runner: its calls in flight never return, and its leases stay. Another one takes its place. */
  restartRunner(): void;
}

/** A value, or how to get it from what earlier steps stored. */
export type Input<T, TContext> = T | ((context: TContext) => T | Promise<T>);

/** One step of a scenario, as `createScenarioSteps` makes it. */
export interface ScenarioStep<
  TRegistry extends WorkflowsRegistry,
  TVars extends ScenarioVars,
  TFragments extends ScenarioFragments = ScenarioFragments,
> {
  /** What the step does, for errors: `eventAndRunUntilIdle session sess-1 user_message`. */
  readonly label: string;
  /** Where its result is kept; null: nowhere. */
  readonly storeAs: (keyof TVars & string) | null;
  run(context: ScenarioContext<TRegistry, TVars, TFragments>): unknown;
}

/** What a scenario runs on. */
export interface ScenarioHarness<TFragments extends ScenarioFragments> {
  /** Adds the application's fragments, so that their tables exist. */
  readonly configureBuilder?: (builder: FragmentsBuilder) => FragmentsBuilder<TFragments>;
  /** An empty database; the scenario gives it a clock and does not close it. @default embedded libSQL in memory */
  readonly database?: Database | (() => Database | Promise<Database>);
  /** Passed to class workflows as `this.env`. */
  readonly env?: unknown;
}

/** A list of steps that a test plays. */
export interface Scenario<
  TRegistry extends WorkflowsRegistry,
  TVars extends ScenarioVars,
  TFragments extends ScenarioFragments = ScenarioFragments,
> {
  /** Named in errors. */
  readonly name: string;
  readonly workflows: TRegistry;
  readonly harness?: ScenarioHarness<TFragments>;
  /** What `vars` holds at the start. */
  readonly vars?: Partial<TVars>;
  readonly steps: readonly ScenarioStep<TRegistry, TVars, TFragments>[];
}

/** The result of a scenario. */
export interface ScenarioResult<TVars extends ScenarioVars> {
  readonly vars: Readonly<TVars>;
}
