/** Steps that have steps of their own: branches at once, loops, and failures as values. */
import type { LoopNext } from "./loop.ts";

/** A failure as a value, or what there is without one. */
export type Attempted<TValue> =
  | { readonly ok: true; readonly value: TValue }
  | {
      readonly ok: false;
      /**
       * `timeout`: a step or a wait took too long. `exhausted`: no attempt of a step was left. `failed`: anything else, such as
       * a NonRetryableError, a JoinError, or what the code around the steps threw. `rollback`: a RollbackError; nothing is undone
       * unless it is thrown on. `cancelled`: a CancelledError, and so will be whatever is called next.
       */
      readonly kind: "failed" | "timeout" | "exhausted" | "rollback" | "cancelled";
      /** What was thrown. */
      readonly error: Error;
    };

/** A branch: a function of steps of its own, whose names need to be unique among themselves only. */
export type Branch<TStep, TValue = unknown> = (step: TStep) => Promise<TValue> | TValue;

/** Branches by name: 1–256 characters, as a step's. */
export type Branches<TStep> = Readonly<Record<string, Branch<TStep>>>;

/** What each branch of a join gave. */
export type Joined<TBranches> = {
  -readonly [TName in keyof TBranches]: ValueOf<TBranches[TName]>;
};

type ValueOf<TBranch> = TBranch extends Branch<never, infer TValue> ? TValue : never;

/** Which branch won a race, and what it gave. */
export type RaceResult<TBranches> = {
  [TName in keyof TBranches]: {
    readonly winner: TName;
    readonly value: ValueOf<TBranches[TName]>;
  };
}[keyof TBranches];

/** Which end of a branch ends a race. */
export interface RaceOptions {
  /**
   * `success`: the first branch that returns wins, and the race fails when all have failed. `first`: the first branch that ends
   * wins, or fails the race. @default "success"
   */
  readonly settles?: "success" | "first";
}

/** How the items of a `map` are gone through. */
export interface MapOptions<TItem> {
  /** Items in work at once: an integer from 1. @default all of them */
  readonly concurrency?: number;
  /** Names an item's branch, and so its steps; needed where items move from one deploy to the next. @default its index */
  readonly key?: (item: TItem, index: number) => string | number;
  /**
   * Failures that are no failure of the map: an integer from 0, or a share such as `"10%"`. Once there are more, no further
   * item begins, and the map fails with a JoinError when those in work have ended. @default 0
   */
  readonly tolerate?: number | `${number}%`;
}

/** The same where failures are tolerated, and given as values. */
export interface TolerantMapOptions<TItem> extends MapOptions<TItem> {
  readonly tolerate: number | `${number}%`;
}

/** How a loop goes on, and what is kept of it. @source founding document 003 */
export interface LoopOptions<TStep, TState, TValue> {
  /** What the first iteration is given. @default undefined */
  readonly state?: TState;
  /** One iteration. @param iteration 0-based */
  readonly run: (
    step: TStep,
    state: TState,
    iteration: number,
  ) => Promise<LoopNext<TState, TValue>> | LoopNext<TState, TValue>;
  /**
   * The state is written down every so many iterations, with the commit that is due anyway; a replay goes on from there, so
   * that it runs fewer iterations than this again. An integer from 1. @default 20
   */
  readonly commitEvery?: number;
  /** Iterations before the state written down whose steps stay in the history. An integer from 0. @default `commitEvery` */
  readonly keep?: number;
  /** As `commitEvery`: Rivet's name. */
  readonly commitInterval?: number;
  /** As `keep`: Rivet's name. */
  readonly historyKeep?: number;
  /** Rows are removed every so many iterations: Rivet's name. @default `commitEvery` */
  readonly historyEvery?: number;
}

/** The same of a loop that has a state. */
export interface StatefulLoopOptions<TStep, TState, TValue> extends LoopOptions<
  TStep,
  TState,
  TValue
> {
  readonly state: TState;
}

/**
 * Scopes: each runs functions that are given steps of their own. `TStep` is what they are given.
 *
 * A scope costs no trip: its row rides in the next commit. Branches that end leave nothing behind: what they called and did
 * not await is aborted, and closed as `cancelled`.
 */
export interface ScopeSteps<TStep> {
  /**
   * Runs branches at once and waits for all of them; a branch that waits stops no other.
   *
   * @throws {JoinError} JOIN_FAILED — branches failed: `errors` has what each threw
   * @throws {WorkflowError} INVALID_SCOPE, SCOPE_CLOSED
   */
  join<TBranches extends Branches<TStep>>(
    name: string,
    branches: TBranches,
  ): Promise<Joined<TBranches>>;

  /**
   * Runs branches at once and gives the first that succeeds. The others are not awaited: their bodies are told to abort, their
   * waits take no event, and what they come to is dropped.
   *
   * @throws {JoinError} JOIN_FAILED — all branches failed
   * @throws {WorkflowError} INVALID_SCOPE, UNKNOWN_OPTION, SCOPE_CLOSED; of a race that settles with the first end, its error
   */
  race<TBranches extends Branches<TStep>>(
    name: string,
    branches: TBranches,
    options?: RaceOptions,
  ): Promise<RaceResult<TBranches>>;

  /**
   * Runs a function for each item, at once or so many at a time. What it gives is in the order of the items.
   *
   * @throws {JoinError} JOIN_FAILED — more items failed than are tolerated
   * @throws {WorkflowError} INVALID_SCOPE, UNKNOWN_OPTION, SCOPE_CLOSED
   */
  map<TItem, TValue>(
    name: string,
    items: Iterable<TItem>,
    run: (step: TStep, item: TItem, index: number) => Promise<TValue> | TValue,
    options: TolerantMapOptions<TItem>,
  ): Promise<Attempted<TValue>[]>;
  map<TItem, TValue>(
    name: string,
    items: Iterable<TItem>,
    run: (step: TStep, item: TItem, index: number) => Promise<TValue> | TValue,
    options?: MapOptions<TItem> & { readonly tolerate?: never },
  ): Promise<TValue[]>;

  /**
   * Runs a function again and again until it returns `Loop.break(value)`. Its state is one row, and rows of old iterations are
   * removed: a loop may have as many iterations as it likes.
   *
   * @throws {WorkflowError} INVALID_SCOPE, UNKNOWN_OPTION, SCOPE_CLOSED; NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE — of the state;
   *   and whatever an iteration throws
   */
  loop<TState, TValue = undefined>(
    name: string,
    options: StatefulLoopOptions<TStep, TState, TValue>,
  ): Promise<TValue>;
  loop<TValue = undefined>(
    name: string,
    options: LoopOptions<TStep, undefined, TValue>,
  ): Promise<TValue>;

  /** Runs a function and gives what it comes to as a value. @throws {WorkflowError} INVALID_SCOPE, SCOPE_CLOSED */
  try<TValue>(name: string, run: Branch<TStep, TValue>): Promise<Attempted<TValue>>;
}
