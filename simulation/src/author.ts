/** Plays a program as an author would have written it: promises, loops and `try` over the engine's steps. */
import { NonRetryableError, type StepContext, type WorkflowStep } from "@escapement/engine";
import type {
  BranchNode,
  DoNode,
  LaterNode,
  Leaf,
  LoopNode,
  Node,
  Program,
  TryNode,
  WaitNode,
} from "./program.ts";
import { isLeaf } from "./walk.ts";

/** What a program asks of the world outside of it. One for each time that author code runs. */
export interface Execution {
  /** Author code has seen something settle. */
  observe(entry: string): void;
  /** A body starts. @returns how its attempt ends, after the time it takes; may never settle */
  body(node: DoNode, context: StepContext): Promise<"returns" | "throws" | "hangs">;
  /** Creates an instance of the child workflow. */
  create(context: StepContext): Promise<unknown>;
  /** Resolves unless it ends the process. */
  poison(name: string, times: number): Promise<void>;
}

interface Scope {
  readonly step: WorkflowStep;
  readonly execution: Execution;
  /** Calls so far, by name. */
  readonly counts: Map<string, number>;
}

/** Runs a program. @returns what its nodes came to */
export function playProgram(
  program: Program,
  step: WorkflowStep,
  execution: Execution,
): Promise<unknown> {
  return playAll(program, { step, execution, counts: new Map() });
}

async function playAll(program: Program, scope: Scope): Promise<unknown[]> {
  const values: unknown[] = [];
  for (const node of program) values.push((await play(node, scope)) ?? null);
  return values;
}

async function play(node: Node, scope: Scope): Promise<unknown> {
  const { observe } = scope.execution;
  if (isLeaf(node)) {
    const value = await playLeaf(node, scope);
    observe(`${node.name} awaited`);
    return value;
  }
  switch (node.kind) {
    case "poison":
      await scope.execution.poison(node.name, node.times);
      return null;
    case "loop":
      return playLoop(node, scope);
    case "try":
      return playTry(node, scope);
    case "later":
      return playLater(node, scope);
    case "all":
    case "allSettled":
    case "race":
    case "any": {
      const value = await deeper(playBranches(node, scope), node.depth);
      observe(`${node.name} over`);
      return value;
    }
  }
}

async function playTry(node: TryNode, scope: Scope): Promise<unknown> {
  try {
    return await playAll(node.nodes, scope);
  } catch {
    scope.execution.observe(`${node.name} caught`);
    return "caught";
  }
}

async function playLater(node: LaterNode, scope: Scope): Promise<unknown> {
  const promise = playLeaf(node.first, scope);
  promise.catch(() => undefined);
  const values = await playAll(node.nodes, scope);
  const value = (await promise) ?? null;
  scope.execution.observe(`${node.name} at last`);
  return [value, values];
}

async function playBranches(node: BranchNode, scope: Scope): Promise<unknown> {
  const branches = node.branches.map((branch) => playAll(branch, scope));
  if (node.kind === "all") return Promise.all(branches);
  if (node.kind === "race") return Promise.race(branches);
  if (node.kind === "any") return Promise.any(branches);
  const ends = await Promise.allSettled(branches);
  return ends.map((end) => (end.status === "fulfilled" ? end.value : "failed"));
}

async function playLoop(node: LoopNode, scope: Scope): Promise<unknown> {
  const rounds: unknown[] = [];
  if (node.iterates) {
    for await (const values of roundsOf(node, scope)) rounds.push(values);
  } else {
    for (let round = 0; round < node.times; round += 1)
      rounds.push(await playAll(node.nodes, scope));
  }
  return rounds;
}

async function* roundsOf(node: LoopNode, scope: Scope): AsyncGenerator {
  for (let round = 0; round < node.times; round += 1) yield await playAll(node.nodes, scope);
}

function playLeaf(node: Leaf, scope: Scope): Promise<unknown> {
  const { observe } = scope.execution;
  const count = (scope.counts.get(node.name) ?? 0) + 1;
  scope.counts.set(node.name, count);
  const key = count === 1 ? node.name : `${node.name}#${count}`;
  const settled = callStep(node, key, scope).then(
    (value) => {
      observe(`${key} = ok`);
      return value ?? null;
    },
    (error: unknown) => {
      observe(`${key} = failed`);
      throw error;
    },
  );
  return deeper(settled, node.depth);
}

/** Puts awaits and chains between a promise and who awaits it. */
async function deeper(promise: Promise<unknown>, depth: number): Promise<unknown> {
  if (depth === 0) return promise;
  if (depth % 2 === 0)
    return promise.then(async (value) => deeper(Promise.resolve(value), depth - 1));
  return await deeper(promise, depth - 1);
}

function callStep(node: Leaf, key: string, scope: Scope): Promise<unknown> {
  const { step, execution } = scope;
  if (node.kind === "sleep") return step.sleep(node.name, node.ms);
  if (node.kind === "wait") return callWait(node, step);
  if (node.kind === "child") {
    const retries = { limit: 1000, delay: 1000, backoff: "constant" } as const;
    return step.do(node.name, { retries, timeout: 600_000 }, async (context) => {
      await execution.create(context);
      return `created by ${key}`;
    });
  }
  const retries = { limit: node.retries, delay: node.delayMs, backoff: "constant" } as const;
  return step.do(node.name, { retries, timeout: node.timeoutMs }, async (context) => {
    const end = await execution.body(node, context);
    if (end === "hangs") return new Promise<string>(() => {});
    if (end === "returns") return `did ${key}`;
    if (node.body.how === "final") throw new NonRetryableError(`${key} fails for good`);
    throw new RangeError(`${key} fails`);
  });
}

async function callWait(node: WaitNode, step: WorkflowStep): Promise<unknown> {
  const options = { type: node.type, timeout: node.timeoutMs, since: node.since };
  const event = node.throws
    ? await step.waitForEvent(node.name, options)
    : await step.tryWaitForEvent(node.name, options);
  return event?.payload ?? null;
}
