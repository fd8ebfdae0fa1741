/** `step.join`: runs branches at the same time and waits for all of them. */
import { WorkflowError } from "../../core/errors.ts";
import { JoinError } from "../../core/join-error.ts";
import { findRollback } from "../find-rollback.ts";
import type { Branching, Ended, ScopeEnd } from "./branching.ts";
import { parseBranches } from "./parse.ts";

export async function runJoin(
  branching: Branching,
  [given]: readonly unknown[],
): Promise<ScopeEnd> {
  const branches = parseBranches(branching.scope, given);
  const ends = await Promise.all(branches.map(({ part, run }) => branching.run(part, run)));
  const names = branches.map(({ name }) => name);
  const error = toJoinError(branching.scope.name, names, ends);
  const values = names.map((name, index) => [name, valueOf(ends[index])] as const);
  return {
    told: error === null ? { ok: true, value: Object.fromEntries(values) } : { ok: false, error },
    result: null,
  };
}

const valueOf = (end: Ended | undefined): unknown => (end?.ok === true ? end.value : undefined);

const asksForRollback = (end: Ended | undefined): boolean =>
  end?.ok === false && findRollback(end.error) !== null;

/** Whether a branch ended because the instance is cancelled. */
export const isCancelled = (
  end: Ended | undefined,
): end is { readonly ok: false; readonly error: WorkflowError } =>
  end?.ok === false && WorkflowError.is(end.error) && end.error.code === "CANCELLED";

/**
 * null: no branch failed. If a branch was cancelled, its error is the result, because the run is to end. But if a branch asks
 * for a rollback, that wins: the run is undone before it ends.
 *
 * @param ends of the branches that have ended, in the order of the names
 */
export function toJoinError(
  scopeName: string,
  names: readonly string[],
  ends: readonly (Ended | undefined)[],
): WorkflowError | null {
  const cancelled = ends.find(isCancelled);
  if (cancelled !== undefined && !ends.some(asksForRollback)) return cancelled.error;
  const errors = new Map<string, unknown>();
  for (const [index, end] of ends.entries())
    if (end?.ok === false) errors.set(names[index] ?? String(index), end.error);
  return errors.size === 0 ? null : new JoinError(scopeName, errors, names.length);
}
