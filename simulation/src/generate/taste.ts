/** Types only: what generated programs may hold. */

/** What programs may hold. */
export interface ProgramTaste {
  /** Nodes of the outermost sequence. */
  readonly length: readonly [min: number, max: number];
  /** How deep branches may hold branches. */
  readonly nesting: number;
  /** Whether bodies fail, time out, and run at most once. */
  readonly failures: boolean;
  /** Bodies fail more often than their retries allow, and not for ever: a retry of the run goes on behind them. */
  readonly heals: boolean;
  readonly children: boolean;
  readonly loops: boolean;
  /** Bodies and waits may take long. */
  readonly slow: boolean;
  /** Author code that ends its process. */
  readonly poison: boolean;
  /** Scopes of the engine. */
  readonly scopes: boolean;
  /** Steps that have an undo, rollbacks, and versions. */
  readonly rollbacks: boolean;
  /** Of those with rollbacks, how many end with one, from 0 to 1. */
  readonly undone: number;
  /** `finally` with shielded steps, and callbacks. */
  readonly cleanups: boolean;
  /** Batches of events, and replies. */
  readonly batches: boolean;
  /** Entries of progress, between steps and of bodies. @default false */
  readonly progress?: boolean;
  /** Waits for topics, and steps that emit to them. */
  readonly topics: readonly string[];
  /** Some of the children have a deadline. */
  readonly deadlines: boolean;
  /** Workflows that steps start and wait for. */
  readonly invokes: readonly string[];
}
