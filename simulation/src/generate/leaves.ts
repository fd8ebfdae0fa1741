/** Makes the steps of programs of a seed. */
import type {
  BodyPlan,
  CallbackNode,
  DoNode,
  EmitNode,
  InvokeNode,
  Leaf,
  ProgressNode,
  ReceiveNode,
  SleepNode,
  TopicNode,
  UndoPlan,
  WaitNode,
} from "../program.ts";
import type { Random } from "../random.ts";
import { makeDeadline } from "./deadlines.ts";
import type { ProgramTaste } from "./taste.ts";

/** Names that a step key has to escape come up now and then. */
const ODD_NAMES = ["a/b", "50%", "x~1", "n#2"];

export class LeafMaker {
  readonly #random: Random;
  readonly #taste: ProgramTaste;
  #count = 0;

  constructor(random: Random, taste: ProgramTaste) {
    this.#random = random;
    this.#taste = taste;
  }

  /** No name comes twice, but by a loop. */
  name(prefix: string): string {
    this.#count += 1;
    const odd = this.#random.chance(0.03) ? this.#random.pick(ODD_NAMES) : "";
    return `${prefix}${this.#count}${odd}`;
  }

  make(): Leaf {
    const kind = this.#random.weighted([
      [6, "do"],
      [2, "sleep"],
      [2, "wait"],
      [this.#taste.children ? 1 : 0, "child"],
      [this.#taste.cleanups ? 2 : 0, "callback"],
      [this.#taste.batches ? 5 : 0, "receive"],
      [this.#taste.invokes.length > 0 ? 5 : 0, "invoke"],
      [this.#taste.topics.length > 0 ? 5 : 0, "topic"],
      [this.#taste.progress === true ? 5 : 0, "progress"],
    ] as const);
    if (kind === "progress") return { kind, name: "progress", depth: this.depth() };
    if (kind === "do") return this.#do();
    if (kind === "sleep") return this.#sleep();
    if (kind === "wait") return this.#wait();
    if (kind === "callback") return this.#callback();
    if (kind === "invoke") return this.#invoke();
    if (kind === "receive") return this.#receive();
    if (kind === "topic") return this.#topic();
    return { kind, name: this.name("child"), depth: this.depth() };
  }

  #receive(): ReceiveNode {
    const random = this.#random;
    const count = random.int(1, 5);
    return {
      kind: "receive",
      name: this.name("batch"),
      types: random.pick([["red"], ["green"], ["red", "green"], ["red", "blue", "green"]]),
      min: random.int(1, Math.min(3, count)),
      count,
      timeoutMs: random.pick([1000, 10_000, 60_000]),
      replies: random.chance(0.6),
      depth: this.depth(),
    };
  }

  #topic(): TopicNode {
    const random = this.#random;
    return {
      kind: "topic",
      name: this.name("ear"),
      topic: random.pick(this.#taste.topics),
      since: random.pick(["now", "now", "created", "ever"] as const),
      timeoutMs: random.pick([1000, 10_000, 60_000, 900_000]),
      depth: this.depth(),
    };
  }

  /** Some ids are those of others too. */
  emit(): EmitNode {
    const random = this.#random;
    const name = random.pick(this.#taste.topics);
    const messageId = random.chance(0.3) ? `m${random.int(1, 4)}` : null;
    const said = { kind: "emit", name, messageId, depth: this.depth() } as const;
    return random.chance(0.4) ? { ...said, isAside: true } : said;
  }

  /** What a sequence tells last and does not await: mostly nothing. */
  last(): readonly ProgressNode[] {
    if (this.#taste.progress !== true || !this.#random.chance(0.3)) return [];
    return [{ kind: "progress", name: "progress", isAside: true, depth: 0 }];
  }

  /** Some ids are asked for by more than one step, also after a restart. */
  #invoke(): InvokeNode {
    const random = this.#random;
    return {
      kind: "invoke",
      name: this.name("kid"),
      workflow: random.pick(this.#taste.invokes),
      ownId: random.chance(0.15) ? `own${random.int(1, 2)}` : null,
      onParentEnd: random.pick(["abandon", "terminate", "rollback"] as const),
      ...(this.#taste.deadlines ? makeDeadline(random) : {}),
      depth: this.depth(),
    };
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
    return { kind: "callback", name: this.name("link"), timeoutMs, uses, depth: this.depth() };
  }

  #do(): DoNode {
    const made = this.#plainDo();
    const tells = this.#taste.progress === true && this.#random.chance(0.7);
    const node = tells ? { ...made, tells } : made;
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
    const plan = { body, retries, delayMs: random.pick([0, 1, 100, 5000]) };
    const tells = this.#taste.progress === true && random.chance(0.5);
    return tells ? { ...plan, tells } : plan;
  }

  #plainDo(): DoNode {
    const random = this.#random;
    const canFail = this.#taste.failures && random.chance(0.4);
    const retries = canFail ? random.pick([0, 0, 1, 2, 5]) : random.pick([3, 5, 5]);
    const body = this.#body(canFail, retries);
    return {
      kind: "do",
      name: this.name("do"),
      body,
      retries,
      delayMs: random.pick([0, 1, 100, 5000]),
      timeoutMs: body.how === "hang" ? random.pick([50, 4000]) : 3_600_000,
      depth: this.depth(),
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
    if (this.#taste.heals && random.chance(0.5))
      return { fails: retries + random.int(1, 2), how: "throw", durationMs };
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
    return { kind: "sleep", name: this.name("nap"), ms, depth: this.depth() };
  }

  #wait(): WaitNode {
    const random = this.#random;
    return {
      kind: "wait",
      name: this.name("wait"),
      type: random.pick(["red", "green", "blue"]),
      timeoutMs: random.pick(this.#taste.slow ? [1000, 10_000, 60_000, 900_000] : [1000, 10_000]),
      since: random.chance(0.2) ? "wait" : "run",
      throws: this.#taste.failures && random.chance(0.3),
      depth: this.depth(),
    };
  }

  /** Awaits between a promise and who awaits it. */
  depth(): number {
    return this.#random.weighted([
      [5, 0],
      [3, this.#random.int(1, 4)],
      [1, this.#random.int(5, 14)],
    ]);
  }
}
