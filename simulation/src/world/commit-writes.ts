/** What a commit says: steps that start with it, steps that settle, and how it ends its run. */
import type { Commit } from "./engine-types.ts";
import type { RunEnd, SettledWrite, StepChange } from "./facts.ts";

/** Bodies that start with a commit, each with what tells this start from others: by name, or by a row of its own. */
export function startsIn(
  change: StepChange,
  number: number,
): readonly (readonly [string, string])[] {
  const names = "startedKeys" in change ? change.startedKeys : null;
  const { stepKey, status, attempts, lostAttempts } = change.step;
  const all = Array.isArray(names) ? (names as string[]) : [];
  // The first time, it says that the step has an undo.
  const mark = all.indexOf(`${stepKey}/undo`);
  const named = all.filter((_, index) => index !== mark);
  return [
    ...named.map((key) => [key, `commit ${number}`] as const),
    ...(status === "running" ? [[stepKey, `row ${attempts} ${lostAttempts}`] as const] : []),
  ];
}

/** Steps that settle with a commit, in their order. */
export const settledBy = ({ changes }: Commit): SettledWrite[] =>
  changes
    .flatMap((change) =>
      change.kind === "step" && change.step.settledOrder !== null ? change.step : [],
    )
    .toSorted((a, b) => (a.settledOrder ?? 0) - (b.settledOrder ?? 0));

/** How a commit ends its run; null: the run goes on, or waits. */
export function endIn(
  outcome: Commit["outcome"],
  isRetried: boolean,
): Pick<RunEnd, "kind" | "output" | "error" | "hasNewKeys"> | null {
  const kind = isRetried ? "retry" : outcome.kind;
  if (kind !== "complete" && kind !== "fail" && kind !== "terminate" && kind !== "retry")
    return null;
  return {
    kind,
    output: "output" in outcome ? outcome.output : null,
    error: "error" in outcome ? outcome.error : null,
    hasNewKeys: "keys" in outcome && outcome.keys === "new",
  };
}
