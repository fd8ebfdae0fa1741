/** Of the model: what a run has under way, and where. */
import type { EndOfScope, Outcome } from "./model-outcome.ts";
import type { Leaf, ScopeNode, StepLoopNode } from "./program.ts";

export type Then = (outcome: Outcome) => void;

export interface Pending {
  readonly leaf: Leaf;
  /** How author code calls it. */
  readonly label: string;
  readonly settled: Then;
  /** Where it was called, and after how many outcomes. */
  readonly prefix: string;
  readonly turn: number;
}

/** A scope that has come to its end, and whose row is still to come. */
export interface EndedScope extends EndOfScope {
  readonly node: ScopeNode | StepLoopNode;
  readonly told: () => void;
}

/** How far a loop has come. */
export interface LoopState {
  readonly node: StepLoopNode;
  /** Iterations that are done. */
  done: number;
  /** The iteration that its row goes on with. */
  written: number;
}

/** Where steps are called. */
export interface Place {
  /** What keys begin with. */
  readonly prefix: string;
  readonly counts: Map<string, number>;
  /** Steps go on though the instance is cancelled. */
  readonly isShielded: boolean;
}

/** Where a branch runs. */
export type Inside = Pick<Place, "isShielded"> & { readonly path: string };

/** The key of a step: its name, escaped, and from the second use on which one it is. */
export const keyOf = (name: string, count: number): string => {
  const escaped = name.replace(
    /[%#/~]/gu,
    (sign) => `%${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase()}`,
  );
  return count === 1 ? escaped : `${escaped}#${count}`;
};
