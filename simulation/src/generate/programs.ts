/** Makes programs of a seed. */
import type {
  BodyPlan,
  CallbackNode,
  DoNode,
  FinallyNode,
  Leaf,
  Node,
  Program,
  RollbackNode,
  ScopeNode,
  SleepNode,
  StepLoopNode,
  UndoPlan,
  WaitNode,
} from "../program.ts";
import type { Random } from "../random.ts";

/** What programs may hold. */
export interface ProgramTaste {
  /** Nodes of the outermost sequence. */
  readonly length: readonly [min: number, max: number];
  /** How deep branches may hold branches. */
  readonly nesting: number;
  /** Whether bodies fail, time out, and run at most once. */
  readonly failures: boolean;
  readonly children: boolean;
  readonly loops: boolean;
  /** Bodies and waits may take long. */
  readonly slow: boolean;
  /** Author code that ends its process. */
  readonly poison: boolean;
  /** Scopes of the engine. */
  readonly scopes: boolean;
  /** Steps that have an undo, rollbacks, and versions. */
  readonly rollbacks: boolean;
  /** `finally` with shielded steps, and callbacks. */
  readonly cleanups: boolean;
}

/** Names that a step key has to escape come up now and then. */
const ODD_NAMES = ["a/b", "50%", "x~1", "n#2"];

export class ProgramMaker {
  readonly #random: Random;
  readonly #taste: ProgramTaste;
  #count = 0;
  /** Loops around what is being made. */
  #loopCount = 0;

  constructor(random: Random, taste: ProgramTaste) {
    this.#random = random;
    this.#taste = taste;
  }

  make(): Program {
    const [min, max] = this.#taste.length;
    const nodes = this.#sequence(this.#random.int(min, max), this.#taste.nesting);
    const isLast = this.#taste.rollbacks && this.#random.chance(0.6);
    const program = isLast ? [...nodes, this.#rollback()] : nodes;
    if (!this.#taste.poison) return program;
    const times = this.#random.pick([1, 2, 3, 3, 14]);
    const at = this.#random.int(0, program.length);
    const poison: Node = { kind: "poison", name: this.#name("crash"), times };
    return [...program.slice(0, at), poison, ...program.slice(at)];
  }

  /** A program of leaves alone, one after the other. */
  makeChild(): Program {
    const length = this.#random.int(1, 3);
    return Array.from({ length }, () => this.#leaf());
  }

  #name(prefix: string): string {
    this.#count += 1;
    const odd = this.#random.chance(0.03) ? this.#random.pick(ODD_NAMES) : "";
    return `${prefix}${this.#count}${odd}`;
  }

  #sequence(length: number, nesting: number): Program {
    return Array.from({ length }, () => this.#node(nesting));
  }

  #node(nesting: number): Node {
    if (nesting === 0) return this.#leaf();
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
      [this.#taste.rollbacks ? 1 : 0, "rollback"],
      // Asked for at once where a scope begins in a turn of its own, so not in scopes of branches.
      [this.#taste.rollbacks && !this.#taste.cleanups ? 1 : 0, "version"],
      [this.#taste.cleanups ? 6 : 0, "finally"],
      [this.#taste.cleanups ? 1 : 0, "shielded"],
    ] as const);
    switch (kind) {
      case "rollback":
        return this.#rollback();
      case "version":
        return { kind, name: this.#name("way"), latest: this.#random.int(1, 3) };
      case "finally":
        return this.#finally(nesting);
      case "shielded":
        return { kind, name: this.#name("shielded"), nodes: this.#short(nesting - 1) };
      case "scope":
        return this.#scope(nesting);
      case "stepLoop":
        return this.#stepLoop(nesting);
      case "leaf":
        return this.#leaf();
      case "loop":
        return {
          kind,
          name: this.#name("loop"),
          times: this.#random.int(1, 3),
          iterates: this.#random.chance(0.5),
          nodes: this.#round(nesting - 1),
        };
      case "try":
        return { kind, name: this.#name("try"), nodes: this.#short(nesting - 1) };
      case "later": {
        const first = this.#leaf();
        return { kind, name: this.#name("later"), first, nodes: this.#short(nesting - 1) };
      }
      case "all":
      case "allSettled":
      case "race":
      case "any": {
        const branches = Array.from({ length: this.#random.int(2, 3) }, () =>
          this.#short(nesting - 1),
        );
        return { kind, name: this.#name(kind), branches, depth: this.#depth() };
      }
    }
  }

  /** Most of them clean up with shielded steps, some with steps that are cancelled too. */
  #finally(nesting: number): FinallyNode {
    const name = this.#name("finally");
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
      name: this.#name(of),
      branches,
      concurrency: random.int(1, 3),
      tolerate: of === "map" ? random.pick([null, 0, 1]) : null,
      depth: this.#depth(),
    };
  }

  #stepLoop(nesting: number): StepLoopNode {
    const random = this.#random;
    return {
      kind: "stepLoop",
      name: this.#name("rounds"),
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
    return nodes;
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

  #leaf(): Leaf {
    const kind = this.#random.weighted([
      [6, "do"],
      [2, "sleep"],
      [2, "wait"],
      [this.#taste.children ? 1 : 0, "child"],
      [this.#taste.cleanups ? 2 : 0, "callback"],
    ] as const);
    if (kind === "do") return this.#do();
    if (kind === "sleep") return this.#sleep();
    if (kind === "wait") return this.#wait();
    if (kind === "callback") return this.#callback();
    return { kind, name: this.#name("child"), depth: this.#depth() };
  }

  #callback(): CallbackNode {
    const random = this.#random;
    const timeoutMs = random.pick([1000, 10_000, 60_000, 900_000]);
    const uses = Array.from({ length: random.int(0, 3) }, () => ({
      afterMs: random.weighted([
        [4, random.int(0, 12)],
        [2, random.int(0, 3000)],
        // About its end.
        [2, timeoutMs + random.int(-6, 10)],
        [1, random.int(0, 60_000)],
      ]),
      isForged: random.chance(0.15),
    }));
    return { kind: "callback", name: this.#name("link"), timeoutMs, uses, depth: this.#depth() };
  }

  #rollback(): RollbackNode {
    return { kind: "rollback", name: this.#name("rollback") };
  }

  #do(): DoNode {
    const node = this.#plainDo();
    if (!this.#taste.rollbacks || this.#random.chance(0.3)) return node;
    return { ...node, undo: this.#undo() };
  }

  #undo(): UndoPlan {
    const random = this.#random;
    const retries = random.pick([0, 2, 5, 5, 5]);
    const fails = random.weighted([
      [7, 0],
      [2, random.int(0, retries)],
      [1, null],
    ]);
    const how = random.chance(0.1) ? "final" : "throw";
    const durationMs = random.pick([0, 0, random.int(1, 30), 300]);
    const body = { fails: how === "final" && fails !== 0 ? null : fails, how, durationMs } as const;
    return { body, retries, delayMs: random.pick([0, 1, 100, 5000]) };
  }

  #plainDo(): DoNode {
    const random = this.#random;
    const canFail = this.#taste.failures && random.chance(0.4);
    const retries = canFail ? random.pick([0, 0, 1, 2, 5]) : random.pick([3, 5, 5]);
    const body = this.#body(canFail, retries);
    return {
      kind: "do",
      name: this.#name("do"),
      body,
      retries,
      delayMs: random.pick([0, 1, 100, 5000]),
      timeoutMs: body.how === "hang" ? random.pick([50, 4000]) : 3_600_000,
      depth: this.#depth(),
    };
  }

  /** A body fails as often as its retries allow, or always: what its step comes to does not depend on who dies when. */
  #body(canFail: boolean, retries: number): BodyPlan {
    const random = this.#random;
    const durationMs = random.weighted([
      [5, 0],
      [3, random.int(1, 30)],
      [1, 300],
      [this.#taste.slow ? 1 : 0, random.pick([3000, 12_000, 40_000])],
    ]);
    if (!canFail) return { fails: 0, how: "throw", durationMs };
    const how = random.weighted([
      [4, "throw"],
      [1, "final"],
      [1, "hang"],
    ] as const);
    const fails = random.chance(0.7) && how !== "final" ? random.int(0, retries) : null;
    return { fails, how, durationMs: how === "hang" ? 0 : durationMs };
  }

  #sleep(): SleepNode {
    const ms = this.#random.weighted([
      [1, 0],
      [2, this.#random.int(1, 20)],
      [2, this.#random.pick([500, 1000, 1000, 10_000])],
      [this.#taste.slow ? 1 : 0, this.#random.pick([60_000, 600_000])],
    ]);
    return { kind: "sleep", name: this.#name("nap"), ms, depth: this.#depth() };
  }

  #wait(): WaitNode {
    const random = this.#random;
    return {
      kind: "wait",
      name: this.#name("wait"),
      type: random.pick(["red", "green", "blue"]),
      timeoutMs: random.pick(this.#taste.slow ? [1000, 10_000, 60_000, 900_000] : [1000, 10_000]),
      since: random.chance(0.2) ? "wait" : "run",
      throws: this.#taste.failures && random.chance(0.3),
      depth: this.#depth(),
    };
  }

  #depth(): number {
    return this.#random.weighted([
      [5, 0],
      [3, this.#random.int(1, 4)],
      [1, this.#random.int(5, 14)],
    ]);
  }
}
