/** Types only: what generated programs may hold. */

/** What programs may hold. */
export interface ProgramTaste {
  /** Nodes of the outermost sequence. */
  readonly length: readonly [min: number, max: number];
  /** How deep branches may hold branches. */
  readonly nesting: number;
  /** Whether bodies fail, time out, and run at most once. */
  readonly failures: boolean;
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
  /** `finally` with shielded steps, and callbacks. */
  readonly cleanups: boolean;
}
