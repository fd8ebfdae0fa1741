/** Runs that are brought back to a step, and which of their steps stay. */
import { toLoopResult } from "../../core/history/loop-position.ts";
import type { StepWrite } from "../../core/model/change.ts";
import type { Random } from "../random.ts";
import { step } from "./builders.ts";

export type Past = Partial<StepWrite> & { readonly stepKey: string };

/** A loop that was called when an outcome was told last, and came to a position after another one. */
const loop = (
  stepKey: string,
  position: { readonly iteration: number; readonly since: number; readonly after: number },
  more: Partial<StepWrite> = {},
): Past => ({
  stepKey,
  type: "loop",
  result: toLoopResult({ ...position, at: 1, state: null }),
  ...more,
});

const open = (stepKey: string): Past => ({ stepKey, status: "waiting", settledOrder: null });

const OPEN_LOOP = { status: "running", settledOrder: null } as const;

export interface RewoundRun {
  readonly says: string;
  /** In the order in which they settled. */
  readonly steps: readonly Past[];
  readonly to: string;
  /** Keys of those that stay settled, and of those that are open; or why nothing changes. */
  readonly left:
    | { readonly settled: readonly string[]; readonly open: readonly string[] }
    | "stepNotFound"
    | "runUndone"
    | "stepPassed";
}

export const CASES: readonly RewoundRun[] = [
  {
    says: "what settled before the step, and nothing that is open",
    steps: [{ stepKey: "a" }, { stepKey: "b" }, { stepKey: "c" }, open("d")],
    to: "b",
    left: { settled: ["a"], open: [] },
  },
  {
    says: "all that settled, where the step is open",
    steps: [{ stepKey: "a" }, open("b"), open("c")],
    to: "b",
    left: { settled: ["a"], open: [] },
  },
  {
    says: "nothing, where the step is the first",
    steps: [{ stepKey: "a" }, { stepKey: "b" }],
    to: "a",
    left: { settled: [], open: [] },
  },
  {
    says: "no step of another key, and of none like it",
    steps: [{ stepKey: "a" }, { stepKey: "A" }],
    to: "a#2",
    left: "stepNotFound",
  },
  {
    says: "branches of a join that settled before, and not the join",
    steps: [
      { stepKey: "j/x/a" },
      { stepKey: "j/y/a" },
      { stepKey: "j/x/b" },
      { stepKey: "j", type: "join" },
      { stepKey: "z" },
    ],
    to: "j/y/a",
    left: { settled: ["j/x/a"], open: [] },
  },
  {
    says: "no race whose loser it is",
    steps: [
      { stepKey: "r/x/a" },
      { stepKey: "r", type: "race", result: `{"winner":"x"}` },
      { stepKey: "r/y/a", status: "cancelled" },
      { stepKey: "z" },
    ],
    to: "r/y/a",
    left: { settled: ["r/x/a"], open: [] },
  },
  {
    says: "a loop at the position before the step",
    steps: [
      { stepKey: "a" },
      { stepKey: "l/~1/x" },
      { stepKey: "l/~2/x" },
      { stepKey: "l/~2/y" },
      loop("l", { iteration: 2, since: 1, after: 2 }, { error: null }),
      { stepKey: "z" },
    ],
    to: "l/~2/y",
    left: { settled: ["a", "l/~1/x", "l/~2/x"], open: ["l"] },
  },
  {
    says: "a loop that is open, where the step is outside of it",
    steps: [
      { stepKey: "a" },
      { stepKey: "l/~0/x" },
      { stepKey: "b" },
      { stepKey: "l/~1/x" },
      loop("l", { iteration: 1, since: 1, after: 2 }, OPEN_LOOP),
    ],
    to: "b",
    left: { settled: ["a", "l/~0/x"], open: ["l"] },
  },
  {
    says: "no loop that began after the step, whatever it has removed",
    steps: [
      { stepKey: "a" },
      { stepKey: "b" },
      { stepKey: "l/~9/x" },
      loop("l", { iteration: 9, since: 2, after: 40 }),
    ],
    to: "b",
    left: { settled: ["a"], open: [] },
  },
  {
    says: "a loop that had ended by then",
    steps: [
      { stepKey: "l/~9/x" },
      loop("l", { iteration: 9, since: 0, after: 1 }),
      { stepKey: "b" },
    ],
    to: "b",
    left: { settled: ["l/~9/x", "l"], open: [] },
  },
  {
    says: "everything, where a loop has gone past the step",
    steps: [
      { stepKey: "a" },
      { stepKey: "l/~1/x" },
      { stepKey: "l/~2/x" },
      loop("l", { iteration: 2, since: 1, after: 2 }, OPEN_LOOP),
    ],
    to: "l/~1/x",
    left: "stepPassed",
  },
  {
    says: "everything, where a loop beside the step has gone on since",
    steps: [
      { stepKey: "a" },
      { stepKey: "b" },
      { stepKey: "l/~1/x" },
      loop("l", { iteration: 2, since: 0, after: 3 }, OPEN_LOOP),
    ],
    to: "b",
    left: "stepPassed",
  },
  {
    says: "everything, where a loop of earlier code does not say when it began",
    steps: [
      { stepKey: "a" },
      { stepKey: "l", type: "loop", result: `{"iteration":20,"at":5}` },
      { stepKey: "z" },
    ],
    to: "a",
    left: "stepPassed",
  },
  {
    says: "everything, where a cancelled step stands in an iteration before the position",
    steps: [
      { stepKey: "l/~0/x" },
      { stepKey: "l/~0/y", status: "cancelled" },
      loop("l", { iteration: 1, since: 0, after: 1 }, OPEN_LOOP),
    ],
    to: "l/~0/y",
    left: "stepPassed",
  },
  {
    says: "everything, where steps are undone",
    steps: [{ stepKey: "a" }, { stepKey: "b" }, { stepKey: "b/undo" }],
    to: "a",
    left: "runUndone",
  },
  {
    says: "steps that are called undo and undo nothing",
    steps: [{ stepKey: "j/undo" }, { stepKey: "j", type: "join" }, { stepKey: "b" }],
    to: "b",
    left: { settled: ["j/undo", "j"], open: [] },
  },
];

export const changesOf = (steps: readonly Past[]): ReturnType<typeof step>[] =>
  steps.map(({ stepKey, ...more }, index) => step(stepKey, { settledOrder: index + 1, ...more }));

const SCOPES = ["join", "race", "map", "loop"] as const;

/** Steps that no run need ever have had: scopes in scopes, loops at any position, in any order. */
export function randomPast(random: Random): readonly Past[] {
  const steps: Past[] = [];
  const pick = (count: number): number => random.integer(0, count - 1);
  const happens = (share: number): boolean => random.integer(1, 100) <= share;
  const grow = (path: string, depth: number): void => {
    for (let index = 0; index < 1 + pick(3); index += 1) {
      const stepKey = `${path}${path === "" ? "" : "/"}s${index}`;
      const kind = depth < 3 && happens(50) ? (SCOPES[pick(4)] ?? "join") : "do";
      if (kind !== "do") {
        const parts = kind === "loop" ? ["~0", "~1", "~2"] : ["x", "undo"];
        for (const part of parts) if (happens(70)) grow(`${stepKey}/${part}`, depth + 1);
      }
      const isOpen = happens(15);
      const position = { iteration: pick(3), since: pick(20), after: pick(20) };
      if (kind === "loop" && happens(70))
        steps.push(loop(stepKey, position, isOpen ? OPEN_LOOP : {}));
      else if (isOpen) steps.push({ ...open(stepKey), type: kind, result: null });
      else steps.push({ stepKey, type: kind, result: kind === "do" ? `"r"` : null });
      if (kind === "do" && happens(1)) steps.push({ stepKey: `${stepKey}/undo` });
    }
  };
  grow("", 0);
  return steps
    .map((one) => ({ one, by: random.integer(0, 1_000_000) }))
    .toSorted((a, b) => a.by - b.by)
    .map(({ one }) => one);
}
