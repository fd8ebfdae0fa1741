/**
 * What author code may observe: a program evaluated over the order in which its steps settled, one at a time, without
 * promises, clocks or anything of the engine.
 */
import { isLeaf } from "./walk.ts";
import type { BranchNode, Leaf, LoopNode, Node, Program } from "./program.ts";

/** What a step or a node came to. */
export type Outcome = { readonly ok: true; readonly value: unknown } | { readonly ok: false };

const FAILED: Outcome = { ok: false };

type Then = (outcome: Outcome) => void;

interface Pending {
  readonly leaf: Leaf;
  /** How author code calls it. */
  readonly label: string;
  readonly settled: Then;
}

/** One run of a program. Call `settle` for each step in the order of the history. */
export class ModelRun {
  /** Steps that author code has called and that have not settled, by key. */
  readonly pending: Map<string, Pending> = new Map();
  /** All that author code sees, in order. */
  readonly trace: string[] = [];
  /** How the run ends; null: it waits. */
  end: Outcome | null = null;
  /** Steps called so far, by key. */
  readonly called: Map<string, Leaf> = new Map();
  readonly #counts = new Map<string, number>();

  constructor(program: Program) {
    this.#sequence(program, (outcome) => {
      this.end ??= outcome;
    });
  }

  /** @returns false: author code has not called this step, so it cannot have settled */
  settle(key: string, outcome: Outcome): boolean {
    const pending = this.pending.get(key);
    if (pending === undefined) return false;
    this.pending.delete(key);
    // Once the workflow has returned nobody looks any more.
    if (this.end !== null) return true;
    this.trace.push(`${pending.label} = ${outcome.ok ? "ok" : "failed"}`);
    pending.settled(outcome);
    return true;
  }

  #sequence(program: Program, then: Then): void {
    const values: unknown[] = [];
    const next = (index: number): void => {
      const node = program[index];
      if (node === undefined) return then({ ok: true, value: values });
      this.#node(node, (outcome) => {
        if (!outcome.ok) return then(outcome);
        values.push(outcome.value);
        next(index + 1);
      });
    };
    next(0);
  }

  #node(node: Node, then: Then): void {
    const told =
      (what: string): Then =>
      (outcome) => {
        if (outcome.ok) this.trace.push(`${node.name} ${what}`);
        then(outcome);
      };
    if (isLeaf(node)) return this.#leaf(node, told("awaited"));
    switch (node.kind) {
      case "poison":
        return then({ ok: true, value: null });
      case "loop":
        return this.#loop(node, then);
      case "try":
        return this.#sequence(node.nodes, (outcome) => {
          if (outcome.ok) return then(outcome);
          this.trace.push(`${node.name} caught`);
          then({ ok: true, value: "caught" });
        });
      case "later":
        return this.#later(node, then);
      case "all":
      case "allSettled":
      case "race":
      case "any":
        return this.#branches(node, told("over"));
    }
  }

  #leaf(leaf: Leaf, then: Then): void {
    const count = (this.#counts.get(leaf.name) ?? 0) + 1;
    this.#counts.set(leaf.name, count);
    const key = keyOf(leaf.name, count);
    this.called.set(key, leaf);
    const label = count === 1 ? leaf.name : `${leaf.name}#${count}`;
    this.pending.set(key, { leaf, label, settled: then });
  }

  #loop(node: LoopNode, then: Then): void {
    const rounds: unknown[] = [];
    const next = (): void => {
      if (rounds.length === node.times) return then({ ok: true, value: rounds });
      this.#sequence(node.nodes, (outcome) => {
        if (!outcome.ok) return then(outcome);
        rounds.push(outcome.value);
        next();
      });
    };
    next();
  }

  #later(node: Extract<Node, { kind: "later" }>, then: Then): void {
    const state: { first: Outcome | null; rest: unknown } = { first: null, rest: undefined };
    const finish = (): void => {
      if (state.first === null || state.rest === undefined) return;
      if (!state.first.ok) return then(FAILED);
      this.trace.push(`${node.name} at last`);
      then({ ok: true, value: [state.first.value, state.rest] });
    };
    this.#leaf(node.first, (outcome) => {
      state.first = outcome;
      finish();
    });
    this.#sequence(node.nodes, (outcome) => {
      if (!outcome.ok) return then(outcome);
      state.rest = outcome.value;
      finish();
    });
  }

  #branches(node: BranchNode, then: Then): void {
    const ends: (Outcome | null)[] = node.branches.map(() => null);
    const state = { isOver: false };
    for (const [index, branch] of node.branches.entries()) {
      this.#sequence(branch, (outcome) => {
        ends[index] = outcome;
        const result = state.isOver ? null : join(node.kind, ends, outcome);
        if (result === null) return;
        state.isOver = true;
        then(result);
      });
    }
  }
}

/** What branches come to once one of them has ended; null: it depends on the others. */
function join(
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

/** The key of a step: its name, escaped, and from the second use on which one it is. */
export const keyOf = (name: string, count: number): string => {
  const escaped = name.replace(
    /[%#/~]/gu,
    (sign) => `%${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase()}`,
  );
  return count === 1 ? escaped : `${escaped}#${count}`;
};
