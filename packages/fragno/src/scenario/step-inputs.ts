/** Types only: what the steps of a scenario take. */
import type { ScenarioFragments } from "./fragments-builder.ts";
import type { InstanceView, WorkflowDuration, WorkflowsRegistry } from "@escapement/engine";
import type {
  EpochMs,
  RegisteredEvents,
  RegisteredParams,
  SentEvent,
} from "@escapement/engine/internal";
import type { Input, ScenarioContext, ScenarioStep, ScenarioVars, WorkflowKey } from "./types.ts";

/** The names of the variables that can hold a value. */
export type VarFor<TVars, TValue> = {
  [TName in keyof TVars]: TValue extends TVars[TName] ? TName : never;
}[keyof TVars] &
  string;

/** The variable that keeps a step's result. */
interface Stores<TVars, TValue> {
  readonly storeAs?: VarFor<TVars, TValue>;
}

/** Factories of steps. Strings, params and events may be functions of the context. */
export interface ScenarioSteps<
  TRegistry extends WorkflowsRegistry,
  TVars extends ScenarioVars,
  TFragments extends ScenarioFragments,
  TContext = ScenarioContext<TRegistry, TVars, TFragments>,
  TStep = ScenarioStep<TRegistry, TVars, TFragments>,
> {
  /** Creates an instance, and stores its state. */
  initialize<TKey extends WorkflowKey<TRegistry>>(
    input: InitializeInput<TRegistry, TVars, TContext, TKey>,
  ): TStep;
  initializeAndRunUntilIdle<TKey extends WorkflowKey<TRegistry>>(
    input: InitializeInput<TRegistry, TVars, TContext, TKey>,
  ): TStep;
  /** Sends an event, and stores the instance's state. */
  event<TKey extends WorkflowKey<TRegistry>>(
    input: EventInput<TRegistry, TVars, TContext, TKey>,
  ): TStep;
  eventAndRunUntilIdle<TKey extends WorkflowKey<TRegistry>>(
    input: EventInput<TRegistry, TVars, TContext, TKey>,
  ): TStep;
  pause(input: InstanceInput<TRegistry, TVars, TContext>): TStep;
  resume(input: InstanceInput<TRegistry, TVars, TContext>): TStep;
  resumeAndRunUntilIdle(input: InstanceInput<TRegistry, TVars, TContext>): TStep;
  /** Asks the instance to end: its steps throw, and its code may clean up. */
  cancel(input: InstanceInput<TRegistry, TVars, TContext>): TStep;
  terminate(input: InstanceInput<TRegistry, TVars, TContext>): TStep;
  /** Starts a new run of the instance. */
  restart(input: InstanceInput<TRegistry, TVars, TContext>): TStep;
  /** Continues a failed run from the steps that made it fail. */
  retry(input: InstanceInput<TRegistry, TVars, TContext>): TStep;
  /** Ticks, and runs hooks, until nothing is due. */
  runUntilIdle(): TStep;
  /** Starts a tick and continues while its bodies run: for bodies that hang until `restartRunner`. */
  startTick(): TStep;
  /** Moves time by milliseconds or a duration string. */
  advanceTime(input: TimeInput<TContext>): TStep;
  advanceTimeAndRunUntilIdle(input: TimeInput<TContext>): TStep;
  /** Kills the runner and starts another. Its claims are taken over when their leases end. */
  restartRunner(): TStep;
  /** Reads a value, which can be stored. */
  read<TName extends keyof TVars & string>(input: {
    readonly read: (context: TContext) => TVars[TName] | Promise<TVars[TName]>;
    readonly storeAs: TName;
  }): TStep;
  read(input: { readonly read: (context: TContext) => unknown }): TStep;
  /** Fails the scenario by throwing. */
  assert(assertion: (context: TContext) => unknown): TStep;
}

export interface InitializeInput<
  TRegistry extends WorkflowsRegistry,
  TVars,
  TContext,
  TKey extends WorkflowKey<TRegistry>,
> extends Stores<TVars, InstanceView> {
  readonly workflow: TKey;
  /** @default 21 random letters and digits */
  readonly id?: Input<string, TContext>;
  readonly params?: Input<RegisteredParams<TRegistry[TKey]>, TContext>;
}

export interface EventInput<
  TRegistry extends WorkflowsRegistry,
  TVars,
  TContext,
  TKey extends WorkflowKey<TRegistry>,
> extends Stores<TVars, InstanceView> {
  readonly workflow: TKey;
  readonly instanceId: Input<string, TContext>;
  readonly event: Input<SentEvent<RegisteredEvents<TRegistry[TKey]>>, TContext>;
}

export interface InstanceInput<TRegistry extends WorkflowsRegistry, TVars, TContext> extends Stores<
  TVars,
  InstanceView
> {
  readonly workflow: WorkflowKey<TRegistry>;
  readonly instanceId: Input<string, TContext>;
}

/** A duration, or an instant. */
export type TimeInput<TContext> =
  | { readonly by: Input<WorkflowDuration, TContext> }
  | { readonly to: Input<Date | EpochMs, TContext> };
