/**
 * What author code may observe: a program evaluated over the order in which its steps settled, one at a time, without
 * promises, clocks or anything of the engine.
 */
import { Begun } from "./model-begun.ts";
import { Closings } from "./model-closings.ts";
import { endOfScope, type Outcome, ROLLBACK } from "./model-outcome.ts";
import { repeat, runItems, runTogether } from "./model-branches.ts";
import {
  type EndedScope,
  type Inside,
  keyOf,
  type LoopState,
  type Pending,
  type Place,
  type Then,
} from "./model-state.ts";
import { isAside, isLeaf } from "./walk.ts";
import type { Leaf, Node, Program, ScopeNode, StepLoopNode } from "./program.ts";

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
  /** Scopes that have ended, by key: their rows come next. */
  readonly endedScopes: Map<string, EndedScope> = new Map();
  /** Loops that were called, by key, with the iterations that are done. */
  readonly loops: Map<string, LoopState> = new Map();
  /** Versions that were asked for, by key. */
  readonly versions: Map<string, number> = new Map();
  /** Scopes that were called, by key. */
  readonly scopes: Set<string> = new Set();
  /** Steps whose branch has ended without them, by key. */
  readonly abandoned: Set<string> = new Set();
  /** Outcomes in scopes came after the run's end: nothing is known of how far their loops came. */
  isPastEnd = false;
  /** Steps whose outcome author code was told, by key. */
  readonly told: Set<string> = new Set();
  /** Steps that were called to go on though the instance is cancelled, by key. */
  readonly shielded: Set<string> = new Set();

  readonly #closings = new Closings();
  /** Outcomes that author code was told, and scopes that it was told of. */
  #turn = 0;

  constructor(program: Program) {
    const outermost = { prefix: "", counts: new Map<string, number>(), isShielded: false };
    this.#sequence(program, outermost, (outcome) =>
      this.#close("", () => {
        this.end ??= outcome;
      }),
    );
  }

  /** @returns false: author code has not called this step, so it cannot have settled */
  settle(key: string, outcome: Outcome): boolean {
    const pending = this.pending.get(key);
    if (pending === undefined) return false;
    this.pending.delete(key);
    // Once the workflow has returned nobody looks any more.
    if (this.end !== null) return true;
    this.told.add(key);
    this.#turn += 1;
    this.trace.push(`${pending.label} = ${outcome.ok ? "ok" : "failed"}`);
    pending.settled(outcome);
    this.#closings.settled(key);
    return true;
  }

  /** The row of a scope is there. @returns false: it cannot have ended */
  settleScope(key: string): boolean {
    const ended = this.endedScopes.get(key);
    if (ended === undefined) return false;
    this.endedScopes.delete(key);
    this.#turn += 1;
    if (this.end === null) ended.told();
    return true;
  }

  #close(prefix: string, over: () => void): void {
    this.#closings.close(this.pending, { prefix, turn: this.#turn }, over);
  }

  #sequence(program: Program, place: Place, then: Then): void {
    const values: unknown[] = [];
    const next = (index: number): void => {
      const node = program[index];
      if (node === undefined) return then({ ok: true, value: values });
      this.#node(node, place, (outcome) => {
        if (!outcome.ok) return then(outcome);
        values.push(outcome.value);
        next(index + 1);
      });
    };
    next(0);
  }

  #node(node: Node, place: Place, then: Then): void {
    const { prefix } = place;
    const told =
      (what: string): Then =>
      (outcome) => {
        if (outcome.ok) this.trace.push(`${prefix}${node.name} ${what}`);
        then(outcome);
      };
    if (isLeaf(node) && isAside(node)) {
      this.#leaf(node, place, () => {});
      return then({ ok: true, value: null });
    }
    if (isLeaf(node)) return this.#leaf(node, place, told("awaited"));
    switch (node.kind) {
      case "poison":
        return then({ ok: true, value: null });
      case "rollback":
        return then(ROLLBACK);
      case "version": {
        const { key, label } = this.#call(node.name, place);
        this.versions.set(key, node.latest);
        if (!prefix.includes("/~")) this.trace.push(`${label} is version ${node.latest}`);
        return then({ ok: true, value: node.latest });
      }
      case "loop":
        return repeat(node, (nodes, ended) => this.#sequence(nodes, place, ended), then);
      case "scope":
        return this.#scope(node, place, told("over"));
      case "stepLoop":
        return this.#stepLoop(node, place, told("over"));
      case "try":
        return this.#sequence(node.nodes, place, (outcome) => {
          if (outcome.ok) return then(outcome);
          this.trace.push(`${prefix}${node.name} caught`);
          then({ ok: true, value: "caught" });
        });
      case "finally":
        return this.#sequence(node.nodes, place, (outcome) => {
          this.trace.push(`${prefix}${node.name} at the end`);
          this.#sequence(node.last, place, (last) => then(last.ok ? outcome : last));
        });
      case "shielded":
        return this.#sequence(node.nodes, { ...place, isShielded: true }, then);
      case "later":
        return this.#later(node, place, then);
      case "all":
      case "allSettled":
      case "race":
      case "any":
        return runTogether(
          node,
          (branch, ended) => this.#sequence(branch, place, ended),
          told("over"),
        );
    }
  }

  /** Which use of its name a call is, as its key and as author code says it. */
  #call(name: string, { prefix, counts }: Place): { readonly key: string; readonly label: string } {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    const label = count === 1 ? name : `${name}#${count}`;
    return { key: `${prefix}${keyOf(name, count)}`, label: `${prefix}${label}` };
  }

  #leaf(leaf: Leaf, place: Place, then: Then): void {
    const { key, label } = this.#call(leaf.name, place);
    this.called.set(key, leaf);
    if (place.isShielded) this.shielded.add(key);
    const { prefix } = place;
    this.pending.set(key, { leaf, label, settled: then, prefix, turn: this.#turn });
  }

  /** What a branch has called and not seen the end of is told nothing more. */
  #leave(path: string): void {
    const isInside = (key: string): boolean => key.startsWith(`${path}/`);
    for (const open of [this.pending, this.endedScopes])
      for (const key of [...open.keys()].filter(isInside)) {
        open.delete(key);
        this.abandoned.add(key);
      }
    for (const key of this.scopes) if (isInside(key)) this.abandoned.add(key);
    this.#closings.leave(isInside);
  }

  /** A branch: once it has ended, nothing of it is left. */
  #branch(program: Program, { path, isShielded }: Inside, then: Then): void {
    const state = { isOver: false };
    const place: Place = { prefix: `${path}/`, counts: new Map(), isShielded };
    this.#sequence(program, place, (outcome) => {
      if (state.isOver) return;
      state.isOver = true;
      this.#close(place.prefix, () => {
        this.#leave(path);
        then(outcome);
      });
    });
  }

  #endScope(key: string, ended: Omit<EndedScope, "told">, then: Then): void {
    this.endedScopes.set(key, { ...ended, told: () => then(ended.outcome) });
  }

  #scope(node: ScopeNode, place: Place, then: Then): void {
    const { key } = this.#call(node.name, place);
    const { isShielded } = place;
    const [first = []] = node.branches;
    if (node.of === "try")
      return this.#branch(first, { path: key, isShielded }, (outcome) =>
        then({ ok: true, value: outcome.ok ? outcome.value : "failed" }),
      );
    this.scopes.add(key);
    if (node.of === "map") return this.#map(node, { path: key, isShielded }, then);
    const ends: (Outcome | null)[] = node.branches.map(() => null);
    const state = { isOver: false };
    const begun = new Begun();
    const ended = (index: number, outcome: Outcome): void => {
      ends[index] = outcome;
      const end = state.isOver ? null : endOfScope(node, ends, index);
      if (end === null) return;
      state.isOver = true;
      for (const other of node.branches.keys()) this.#leave(`${key}/b${other}`);
      this.#endScope(key, { node, ...end }, then);
    };
    for (const [index, branch] of node.branches.entries())
      this.#branch(branch, { path: `${key}/b${index}`, isShielded }, (outcome) =>
        begun.after(() => ended(index, outcome)),
      );
    begun.all();
  }

  #map(node: ScopeNode, { path: key, isShielded }: Inside, then: Then): void {
    runItems(
      node,
      (index, ended) =>
        this.#branch(node.branches[index] ?? [], { path: `${key}/${index}`, isShielded }, ended),
      (outcome) => this.#endScope(key, { node, outcome, result: null }, then),
    );
  }

  #stepLoop(node: StepLoopNode, place: Place, then: Then): void {
    const { key } = this.#call(node.name, place);
    this.scopes.add(key);
    const loop: LoopState = { node, done: 0, written: 0 };
    this.loops.set(key, loop);
    const { isShielded } = place;
    const next = (): void =>
      this.#branch(node.nodes, { path: `${key}/~${loop.done}`, isShielded }, (outcome) => {
        const rounds = loop.done + 1;
        const isLast = rounds === node.times;
        if (!outcome.ok || isLast) {
          const end: Outcome = outcome.ok
            ? { ok: true, value: { rounds, last: outcome.value } }
            : outcome;
          return this.#endScope(key, { node, outcome: end, result: null }, then);
        }
        loop.done = rounds;
        if (rounds % node.commitEvery === 0 && !this.#hasUndoBelow(key)) loop.written = rounds;
        next();
      });
    next();
  }

  /** What undoes an iteration is known only to the iteration. */
  #hasUndoBelow(path: string): boolean {
    for (const [key, leaf] of this.called)
      if (key.startsWith(`${path}/`) && "undo" in leaf) return true;
    return false;
  }

  #later(node: Extract<Node, { kind: "later" }>, place: Place, then: Then): void {
    const state: { first: Outcome | null; rest: unknown } = { first: null, rest: undefined };
    const finish = (): void => {
      if (state.first === null || state.rest === undefined) return;
      if (!state.first.ok) return then(state.first);
      this.trace.push(`${place.prefix}${node.name} at last`);
      then({ ok: true, value: [state.first.value, state.rest] });
    };
    this.#leaf(node.first, place, (outcome) => {
      state.first = outcome;
      finish();
    });
    this.#sequence(node.nodes, place, (outcome) => {
      if (!outcome.ok) return then(outcome);
      state.rest = outcome.value;
      finish();
    });
  }
}
