/** `step.race`: runs branches at the same time and returns the first that succeeds, or that ends. */
import type { RaceOptions } from "../../authoring/scopes.ts";
import type { Branching, Ended, ScopeEnd } from "./branching.ts";
import { toJoinError } from "./join.ts";
import { type NamedBranch, parseBranches, parseOptions, refuseScope } from "./parse.ts";

const OPTIONS: Readonly<Record<keyof RaceOptions, 1>> = { settles: 1 };

export async function runRace(
  branching: Branching,
  [given, options = {}]: readonly unknown[],
): Promise<ScopeEnd> {
  const { scope } = branching;
  const branches = parseBranches(scope, given);
  if (branches.length === 0) refuseScope(scope, "at least one branch", "none");
  const { settles = "success" } = parseOptions<RaceOptions>(scope, options, OPTIONS);
  if (settles !== "success" && settles !== "first")
    refuseScope(scope, '"success" or "first" as settles', settles);
  const { winner, ends } = await firstOf(branching, branches, settles);
  const names = branches.map(({ name }) => name);
  if (winner === null) {
    const error = toJoinError(scope.name, names, ends);
    return { told: { ok: false, error }, result: null };
  }
  const { name, end } = winner;
  const told: Ended = end.ok ? { ok: true, value: { winner: name, value: end.value } } : end;
  return { told, result: JSON.stringify({ winner: name }) };
}

interface RaceEnd {
  /** null: all branches have failed. */
  readonly winner: { readonly name: string; readonly end: Ended } | null;
  /** In the order of the branches. */
  readonly ends: readonly (Ended | undefined)[];
}

const firstOf = (
  branching: Branching,
  branches: readonly NamedBranch[],
  settles: "success" | "first",
): Promise<RaceEnd> =>
  new Promise((resolve) => {
    const ends: (Ended | undefined)[] = branches.map(() => undefined);
    let left = branches.length;
    for (const [index, { name, part, run }] of branches.entries())
      void branching.run(part, run).then((end) => {
        ends[index] = end;
        left -= 1;
        if (end.ok || settles === "first") resolve({ winner: { name, end }, ends });
        else if (left === 0) resolve({ winner: null, ends });
      });
  });
