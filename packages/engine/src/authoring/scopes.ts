/** Steps that have steps of their own: branches at once, loops, and failures as values. */
import type { LoopNext } from "./loop.ts";

/** The result of a step or function that does not throw: its value, or its error. */
export type Attempted<TValue> =
  | { readonly ok: true; readonly value: TValue }
  | {
      readonly ok: false;
      /**
       * `timeout`: a step or a wait took too long. `exhausted`: a step had no attempt left. `rollback`: a RollbackError, or a JoinError
       * with one in it; nothing is undone unless you throw it on. `cancelled`: a CancelledError; whatever you call next is cancelled too.
       * `failed`: anything else, such as a NonRetryableError, a JoinError, or an error of the code around the steps.
       */
      readonly kind: "failed" | "timeout" | "exhausted" | "rollback" | "cancelled";
      /** What was thrown. */
      readonly error: Error;
    };

/** A branch: a function with its own steps. Their names only have to be unique within the branch. */
export type Branch<TStep, TValue = unknown> = (step: TStep) => Promise<TValue> | TValue;

/** Branches by name, 1–256 characters like the name of a step. */
export type Branches<TStep> = Readonly<Record<string, Branch<TStep>>>;

/** What each branch of a join returned. */
export type Joined<TBranches> = {
  -readonly [TName in keyof TBranches]: ValueOf<TBranches[TName]>;
};

type ValueOf<TBranch> = TBranch extends Branch<never, infer TValue> ? TValue : never;

/** Which branch won a race, and what it returned. */
export type RaceResult<TBranches> = {
  [TName in keyof TBranches]: {
    readonly winner: TName;
    readonly value: ValueOf<TBranches[TName]>;
  };
}[keyof TBranches];

/** Which end of a branch ends a race. */
export interface RaceOptions {
  /**
   * `success`: the first branch that returns wins; the race fails if all fail. `first`: the first branch that ends decides,
   * and if it throws, the race fails. @default "success"
   */
  readonly settles?: "success" | "first";
}

/** How a `map` works on its items. */
export interface MapOptions<TItem> {
  /** How many items are worked on at the same time: an integer from 1. @default all of them */
  readonly concurrency?: number;
  /**
   * Names the branch of an item, and so its steps. Give one if items may change their place in the list. @default the item's
   * index
   */
  readonly key?: (item: TItem, index: number) => string | number;
  /**
   * How many items may fail without failing the map: an integer from 0, or a share such as `"10%"`. As soon as more have
   * failed, no further items begin, and the map throws a JoinError when those that have begun have ended. @default 0
   */
  readonly tolerate?: number | `${number}%`;
}

/** The same with tolerated failures, which are returned as values. */
export interface TolerantMapOptions<TItem> extends MapOptions<TItem> {
  readonly tolerate: number | `${number}%`;
}

/**
 * How a loop works, and how much of it is kept.
 *
 * @typeParam TNext the state of the next iteration, as `run` gives it. It is inferred apart from `TState`, so that the compiler
 *   reports a wrong one with one short message (`LoopState`).
 * @source founding document 003
 */
export interface LoopOptions<TStep, TState, TValue, TNext = TState> {
  /** The state of the first iteration. @default undefined */
  readonly state?: TState;
  /** One iteration. @param iteration 0-based */
  readonly run: (
    step: TStep,
    state: TState,
    iteration: number,
  ) =>
    | Promise<LoopNext<TNext | NoInfer<TState>, TValue>>
    | LoopNext<TNext | NoInfer<TState>, TValue>;
  /**
   * After how many iterations the state is written, with the commit that is due anyway. A replay continues from there, so it
   * repeats fewer iterations than this. An integer from 1. @default 20
   */
  readonly commitEvery?: number;
  /** How many iterations before the written state keep their steps in the history. An integer from 0. @default `commitEvery` */
  readonly keep?: number;
  /** Rivet's name for `commitEvery`. */
  readonly commitInterval?: number;
  /** Rivet's name for `keep`. */
  readonly historyKeep?: number;
  /** After how many iterations old rows are removed; Rivet's name. @default `commitEvery` */
  readonly historyEvery?: number;
}

/** What a loop's options must be as well: it has a state unless that may be undefined, and continues with a state of the same type. */
export type LoopState<TState, TNext> = ([undefined] extends [TState]
  ? unknown
  : { readonly state: TState }) &
  ([TNext] extends [TState] ? unknown : { readonly run: ContinuesWithAnotherState<TNext, TState> });

/** No `run` has this type. Its name, with the two types of state, is what the compiler says of a loop that continues with another one. */
interface ContinuesWithAnotherState<TNext, TState> {
  readonly continuesWith: TNext;
  readonly state: TState;
}

/**
 * Scopes: each runs functions with steps of their own, of the type `TStep`.
 *
 * A scope costs no trip: its row goes with the next commit. A branch leaves nothing behind when it ends: what it called and
 * did not await is aborted, and closed as `cancelled`.
 */
export interface ScopeSteps<TStep> {
  /**
   * Runs branches at the same time and waits for all of them: `const { hotel, car } = await step.join("book", { hotel: (s) =>
   * s.do("reserve", reserve), car: (s) => s.do("rent", rent) })`. A branch that waits does not stop the others.
   *
   * @returns what each branch returned, by its name
   * @throws {JoinError} JOIN_FAILED — branches failed: `errors` has what each threw
   * @throws {WorkflowError} INVALID_SCOPE, SCOPE_CLOSED
   */
  join<TBranches extends Branches<TStep>>(
    name: string,
    branches: TBranches,
  ): Promise<Joined<TBranches>>;

  /**
   * Runs branches at the same time and returns the first that succeeds: `const { winner, value } = await step.race("quote", { a: (s)
   * => s.do("ask", askA), b: (s) => s.do("ask", askB) })`. The others are not awaited: their bodies are told to
   * abort, their waits consume no event, and their results are dropped.
   *
   * @throws {JoinError} JOIN_FAILED — all branches failed
   * @throws {WorkflowError} INVALID_SCOPE, UNKNOWN_OPTION, SCOPE_CLOSED; with `settles: "first"`, the error of the branch
   */
  race<TBranches extends Branches<TStep>>(
    name: string,
    branches: TBranches,
    options?: RaceOptions,
  ): Promise<RaceResult<TBranches>>;

  /**
   * Runs a function for each item, all at the same time or as many as `concurrency` says: `await step.map("resize", pictures, (s,
   * picture) => s.do("resize", () => resize(picture)), { concurrency: 20 })`.
   *
   * @returns the results in the order of the items; with `tolerate`, each as `{ ok: true, value }` or `{ ok: false, error }`
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
   * Runs a function again and again until it returns `Loop.break(value)`: `await step.loop("pages", { state: 1, run: async (s, page) =>
   * (await s.do("read", () => read(page))) ? Loop.continue(page + 1) : Loop.break(page) })`. The state is one row, and rows of old iterations
   * are removed, so a loop can have any number of iterations.
   *
   * @throws {WorkflowError} INVALID_SCOPE, UNKNOWN_OPTION, SCOPE_CLOSED; NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE — the state
   *   cannot be stored; and whatever an iteration throws
   */
  loop<TState = undefined, TValue = undefined, TNext = TState>(
    name: string,
    options: LoopOptions<TStep, TState, TValue, TNext> & LoopState<TState, TNext>,
  ): Promise<TValue>;

  /**
   * Runs a function with steps of its own, and returns its result or its error as a value: `const paid = await step.try("pay", (s) =>
   * s.do("charge", charge)); if (!paid.ok) …`.
   *
   * @returns `{ ok: true, value }` or `{ ok: false, kind, error }`
   * @throws {WorkflowError} INVALID_SCOPE, SCOPE_CLOSED
   */
  try<TValue>(name: string, run: Branch<TStep, TValue>): Promise<Attempted<TValue>>;
}
