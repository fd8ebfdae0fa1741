/** Of the model: branches that run beside one another, and rounds that follow one another, whatever each of them does. */
import { Begun } from "./model-begun.ts";
import { isCancelled, join, type Outcome, together } from "./model-outcome.ts";
import type { Then } from "./model-state.ts";
import type { BranchNode, LoopNode, Program, ScopeNode } from "./program.ts";

type RunProgram = (program: Program, then: Then) => void;

/** Round after round, until one fails. */
export function repeat(node: LoopNode, run: RunProgram, then: Then): void {
  const rounds: unknown[] = [];
  const next = (): void => {
    if (rounds.length === node.times) return then({ ok: true, value: rounds });
    run(node.nodes, (outcome) => {
      if (!outcome.ok) return then(outcome);
      rounds.push(outcome.value);
      next();
    });
  };
  next();
}

/** Branches of promises: those that lose go on. */
export function runTogether(node: BranchNode, run: RunProgram, then: Then): void {
  const ends: (Outcome | null)[] = node.branches.map(() => null);
  const state = { isOver: false };
  const begun = new Begun();
  const ended = (index: number, outcome: Outcome): void => {
    ends[index] = outcome;
    const result = state.isOver ? null : join(node.kind, ends, outcome);
    if (result === null) return;
    state.isOver = true;
    then(result);
  };
  for (const [index, branch] of node.branches.entries())
    run(branch, (outcome) => begun.after(() => ended(index, outcome)));
  begun.all();
}

/** As many items at once as may be, until more have failed than are tolerated. */
export function runItems(
  node: ScopeNode,
  run: (index: number, then: Then) => void,
  then: Then,
): void {
  const ends: (Outcome | undefined)[] = [];
  const state = { next: 0, running: 0, failed: 0, isOver: false };
  const begun = new Begun();
  const tolerated = node.tolerate ?? 0;
  const goOn = (): void => {
    while (
      state.running < node.concurrency &&
      state.failed <= tolerated &&
      state.next < node.branches.length
    ) {
      const index = state.next;
      state.next += 1;
      state.running += 1;
      run(index, (outcome) =>
        begun.after(() => {
          state.running -= 1;
          ends[index] = outcome;
          if (!outcome.ok) state.failed += isCancelled(outcome) ? Infinity : 1;
          goOn();
        }),
      );
    }
    if (state.running > 0 || state.isOver) return;
    state.isOver = true;
    const values = ends.map((end) => (end?.ok === true ? end.value : "failed"));
    then(state.failed > tolerated ? together(ends) : { ok: true, value: values });
  };
  goOn();
  begun.all();
}
