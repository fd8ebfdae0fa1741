/** Of the model: what steps, branches and scopes come to. */
import type { BranchNode, ScopeNode } from "./program.ts";

/** What a step or a node came to. */
export type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly isRollback?: boolean; readonly isCancelled?: boolean };

/** Any other failure. */
export const FAILED: Outcome = { ok: false };
/** What author code throws to undo what the run has done. */
export const ROLLBACK: Outcome = { ok: false, isRollback: true };
/** What a step throws whose instance is cancelled. */
export const CANCELLED: Outcome = { ok: false, isCancelled: true };

/** Whether what was thrown asks for a rollback. */
export const isRollback = (outcome: Outcome | null | undefined): boolean =>
  outcome?.ok === false && outcome.isRollback === true;

/** Whether what was thrown says that the instance is cancelled. */
export const isCancelled = (outcome: Outcome | null | undefined): boolean =>
  outcome?.ok === false && outcome.isCancelled === true;

/** Branches that have failed together. One that asks for a rollback speaks for all, and else one that was cancelled. */
export const together = (ends: readonly (Outcome | null | undefined)[]): Outcome => {
  if (ends.some(isRollback)) return ROLLBACK;
  return ends.some(isCancelled) ? CANCELLED : FAILED;
};

/** What a scope comes to. */
export interface EndOfScope {
  readonly outcome: Outcome;
  /** What its row keeps; null: nothing. */
  readonly result: string | null;
}

/** What branches come to once one of them has ended; null: it depends on the others. */
export function join(
  kind: BranchNode["kind"],
  ends: readonly (Outcome | null)[],
  last: Outcome,
): Outcome | null {
  if (kind === "race") return last;
  if (kind === "any" && last.ok) return last;
  if (kind === "all" && !last.ok) return last;
  if (ends.includes(null)) return null;
  if (kind === "any") return FAILED;
  const values = ends.map((end) => (end?.ok === true ? end.value : "failed"));
  return { ok: true, value: values };
}

/** What a join or a race comes to once a branch has ended; null: it depends on the others. */
export function endOfScope(
  node: ScopeNode,
  ends: readonly (Outcome | null)[],
  last: number,
): EndOfScope | null {
  const end = ends[last] ?? FAILED;
  const winner = `b${last}`;
  const result = JSON.stringify({ winner });
  const isWon = node.of !== "join" && end.ok;
  if (isWon) return { outcome: { ok: true, value: { winner, value: end.value } }, result };
  if (node.of === "first") return { outcome: end, result };
  if (ends.includes(null)) return null;
  if (node.of === "race" || ends.some((one) => one?.ok === false))
    return { outcome: together(ends), result: null };
  const values = ends.map((one, index) => [`b${index}`, one?.ok === true ? one.value : null]);
  return { outcome: { ok: true, value: Object.fromEntries(values) }, result: null };
}
