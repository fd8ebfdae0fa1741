/** Makes programs of a seed. */
import type {
  FinallyNode,
  LoopNode,
  Node,
  Program,
  RollbackNode,
  ScopeNode,
  StepLoopNode,
} from "../program.ts";
import type { Random } from "../random.ts";
import { LeafMaker } from "./leaves.ts";
import type { ProgramTaste } from "./taste.ts";

export class ProgramMaker {
  readonly #random: Random;
  readonly #taste: ProgramTaste;
  readonly #leaves: LeafMaker;
  /** Loops around what is being made. */
  #loopCount = 0;

  constructor(random: Random, taste: ProgramTaste) {
    this.#random = random;
    this.#taste = taste;
    this.#leaves = new LeafMaker(random, taste);
  }

  make(): Program {
    const [min, max] = this.#taste.length;
    const made = this.#sequence(this.#random.int(min, max), this.#taste.nesting);
    const nodes = [...made, ...this.#leaves.last()];
    const isLast = this.#taste.rollbacks && this.#random.chance(this.#taste.undone);
    const program = isLast ? [...nodes, this.#rollback()] : nodes;
    if (!this.#taste.poison) return program;
    const times = this.#random.pick([1, 2, 3, 3, 14]);
    const at = this.#random.int(0, program.length);
    const poison: Node = { kind: "poison", name: this.#leaves.name("crash"), times };
    return [...program.slice(0, at), poison, ...program.slice(at)];
  }

  /** A program of leaves alone, one after the other. */
  makeChild(): Program {
    const length = this.#random.int(1, 3);
    return Array.from({ length }, () => this.#leaves.make());
  }

  #sequence(length: number, nesting: number): Program {
    return Array.from({ length }, () => this.#node(nesting));
  }

  #node(nesting: number): Node {
    if (nesting === 0) return this.#leaves.make();
    // A step that a loop leaves behind would be in flight when its name comes again.
    const leavesBehind = this.#loopCount === 0 ? 1 : 0;
    const kind = this.#random.weighted([
      [6, "leaf"],
      [2 * leavesBehind, "all"],
      [1, "allSettled"],
      [3 * leavesBehind, "race"],
      [leavesBehind, "any"],
      [this.#taste.loops ? 2 : 0, "loop"],
      [this.#taste.failures ? 2 : 0, "try"],
      [leavesBehind, "later"],
      [this.#taste.scopes ? 7 : 0, "scope"],
      [this.#taste.scopes ? 3 : 0, "stepLoop"],
      [this.#taste.topics.length > 0 ? 4 : 0, "emit"],
      [this.#taste.rollbacks ? 1 : 0, "rollback"],
      // Asked for at once where a scope begins in a turn of its own, so not in scopes of branches.
      [this.#taste.rollbacks && !this.#taste.cleanups ? 1 : 0, "version"],
      [this.#taste.cleanups ? 6 : 0, "finally"],
      [this.#taste.cleanups ? 1 : 0, "shielded"],
    ] as const);
    switch (kind) {
      case "emit":
        return this.#emit();
      case "rollback":
        return this.#rollback();
      case "version":
        return { kind, name: this.#leaves.name("way"), latest: this.#random.int(1, 3) };
      case "finally":
        return this.#finally(nesting);
      case "shielded":
        return { kind, name: this.#leaves.name("shielded"), nodes: this.#short(nesting - 1) };
      case "scope":
        return this.#scope(nesting);
      case "stepLoop":
        return this.#stepLoop(nesting);
      case "leaf":
        return this.#leaves.make();
      case "loop":
        return this.#loop(nesting);
      case "try":
        return { kind, name: this.#leaves.name("try"), nodes: this.#short(nesting - 1) };
      case "later": {
        const first = this.#leaves.make();
        return { kind, name: this.#leaves.name("later"), first, nodes: this.#short(nesting - 1) };
      }
      case "all":
      case "allSettled":
      case "race":
      case "any": {
        const branches = Array.from({ length: this.#random.int(2, 3) }, () =>
          this.#short(nesting - 1),
        );
        return { kind, name: this.#leaves.name(kind), branches, depth: this.#leaves.depth() };
      }
    }
  }

  #loop(nesting: number): LoopNode {
    return {
      kind: "loop",
      name: this.#leaves.name("loop"),
      times: this.#random.int(1, 3),
      iterates: this.#random.chance(0.5),
      nodes: this.#round(nesting - 1),
    };
  }

  /** Most of them clean up with shielded steps, some with steps that are cancelled too. */
  #finally(nesting: number): FinallyNode {
    const name = this.#leaves.name("finally");
    const nodes = this.#short(nesting - 1);
    const last = this.#short(nesting - 1);
    const isShielded = this.#random.chance(0.8);
    const shielded: Node = { kind: "shielded", name: `${name} shielded`, nodes: last };
    return { kind: "finally", name, nodes, last: isShielded ? [shielded] : last };
  }

  #scope(nesting: number): ScopeNode {
    const random = this.#random;
    const of = random.pick(["join", "race", "race", "first", "map", "try"] as const);
    const count = of === "try" ? 1 : random.int(of === "map" ? 1 : 2, 3);
    const branches = Array.from({ length: count }, () => this.#inside(nesting - 1));
    return {
      kind: "scope",
      of,
      name: this.#leaves.name(of),
      branches,
      concurrency: random.int(1, 3),
      tolerate: of === "map" ? random.pick([null, 0, 1]) : null,
      depth: this.#leaves.depth(),
    };
  }

  /** Its name is the topic's, and another of that name may be in flight: so it has a place of its own. */
  #emit(): ScopeNode {
    const branches = [[this.#leaves.emit()]];
    const tried = { kind: "scope", of: "try", concurrency: 1, tolerate: null } as const;
    return { ...tried, name: this.#leaves.name("say"), branches, depth: this.#leaves.depth() };
  }

  #stepLoop(nesting: number): StepLoopNode {
    const random = this.#random;
    return {
      kind: "stepLoop",
      name: this.#leaves.name("rounds"),
      times: random.pick([1, 2, 3, 5, 7]),
      commitEvery: random.int(1, 3),
      keep: random.int(0, 2),
      nodes: this.#inside(nesting - 1),
    };
  }

  /** At a place of its own names may come again, whatever was left behind. */
  #inside(nesting: number): Program {
    const loopCount = this.#loopCount;
    this.#loopCount = 0;
    const nodes = this.#short(nesting);
    this.#loopCount = loopCount;
    return [...nodes, ...this.#leaves.last()];
  }

  #round(nesting: number): Program {
    this.#loopCount += 1;
    const nodes = this.#short(nesting);
    this.#loopCount -= 1;
    return nodes;
  }

  #short(nesting: number): Program {
    return this.#sequence(this.#random.int(1, 2), nesting);
  }

  #rollback(): RollbackNode {
    return { kind: "rollback", name: this.#leaves.name("rollback") };
  }
}
