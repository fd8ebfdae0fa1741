/** What an iteration of `step.loop` returns: continue, or end the loop. */

const BRAND = Symbol.for("@escapement/engine/LoopNext");

/** The loop continues with this state. */
export interface LoopContinue<TState> {
  readonly kind: "continue";
  readonly state: TState;
}

/** The loop ends with this value. */
export interface LoopBreak<TValue> {
  readonly kind: "break";
  readonly value: TValue;
}

/** What an iteration returns. Nothing means: continue with the same state. */
export type LoopNext<TState, TValue> = LoopContinue<TState> | LoopBreak<TValue> | void;

/** `Loop.continue(state)` and `Loop.break(value)`: what an iteration of `step.loop` returns. @source founding document 003 */
export const Loop: {
  /** Continues with a new state: `return Loop.continue({ page: 2 })`. Without an argument, the state becomes undefined. */
  readonly continue: {
    (): LoopContinue<undefined>;
    <TState>(state: TState): LoopContinue<TState>;
  };
  /** Ends the loop with a value, which `step.loop` returns: `return Loop.break("found")`. */
  readonly break: {
    (): LoopBreak<undefined>;
    <TValue>(value: TValue): LoopBreak<TValue>;
  };
} = {
  continue: <TState>(state?: TState) =>
    ({ [BRAND]: true, kind: "continue", state }) as unknown as LoopContinue<TState>,
  break: <TValue>(value?: TValue) =>
    ({ [BRAND]: true, kind: "break", value }) as unknown as LoopBreak<TValue>,
};

/** Whether a value was made by `Loop.continue` or `Loop.break`, of this or of any other installed copy of the package. */
export const isLoopNext = (
  returned: unknown,
): returned is LoopContinue<unknown> | LoopBreak<unknown> =>
  typeof returned === "object" && returned !== null && BRAND in returned;
