/** Plays a program as an author would have written it: promises, loops and `try` over the engine's steps. */
import { Loop, RollbackError, type WorkflowStep } from "@escapement/engine";
import { deeper, playLeaf } from "./author-leaves.ts";
import {
  countCall,
  type Execution,
  observeIn,
  pathOf,
  type Scope,
  within,
} from "./author-place.ts";
import type {
  BranchNode,
  FinallyNode,
  LaterNode,
  LoopNode,
  Node,
  Program,
  ScopeNode,
  StepLoopNode,
  TryNode,
  VersionNode,
} from "./program.ts";
import { isAside, isLeaf } from "./walk.ts";

/** Runs a program. @returns what its nodes came to */
export function playProgram(
  program: Program,
  step: WorkflowStep,
  execution: Execution,
): Promise<unknown> {
  execution.tellTime("", step.now().getTime());
  const outermost = { step, execution, counts: new Map(), prefix: "", isShielded: false };
  return playAll(program, outermost);
}

async function playAll(program: Program, scope: Scope): Promise<unknown[]> {
  const values: unknown[] = [];
  for (const node of program) values.push((await play(node, scope)) ?? null);
  return values;
}

async function play(node: Node, scope: Scope): Promise<unknown> {
  const observe = observeIn(scope);
  if (isLeaf(node)) {
    const played = playLeaf(node, scope);
    if (isAside(node)) return null;
    const value = await played;
    observe(`${node.name} awaited`);
    return value;
  }
  switch (node.kind) {
    case "poison":
      await scope.execution.poison(node.name, node.times);
      return null;
    case "rollback":
      throw new RollbackError(node.name);
    case "version":
      return playVersion(node, scope);
    case "loop":
      return playLoop(node, scope);
    case "try":
      return playTry(node, scope);
    case "finally":
      return playFinally(node, scope);
    case "shielded":
      return playAll(node.nodes, { ...scope, step: scope.step.shielded, isShielded: true });
    case "later":
      return playLater(node, scope);
    case "scope": {
      const value = await deeper(playScope(node, scope), node.depth);
      observe(`${node.name} over`);
      return value;
    }
    case "stepLoop": {
      const value = await playStepLoop(node, scope);
      observe(`${node.name} over`);
      return value;
    }
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

function playVersion({ name, latest }: VersionNode, scope: Scope): number {
  const label = countCall(name, scope);
  const version = scope.step.version(name, latest);
  // A loop that goes on from its position asks before what came before the position is told elsewhere.
  if (!scope.prefix.includes("/~")) observeIn(scope)(`${label} is version ${version}`);
  return version;
}

async function playTry(node: TryNode, scope: Scope): Promise<unknown> {
  try {
    return await playAll(node.nodes, scope);
  } catch {
    observeIn(scope)(`${node.name} caught`);
    return "caught";
  }
}

async function playFinally(node: FinallyNode, scope: Scope): Promise<unknown> {
  try {
    return await playAll(node.nodes, scope);
  } finally {
    observeIn(scope)(`${node.name} at the end`);
    await playAll(node.last, scope);
  }
}

async function playLater(node: LaterNode, scope: Scope): Promise<unknown> {
  const promise = playLeaf(node.first, scope);
  promise.catch(() => undefined);
  const values = await playAll(node.nodes, scope);
  const value = (await promise) ?? null;
  observeIn(scope)(`${node.name} at last`);
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

async function playScope(node: ScopeNode, scope: Scope): Promise<unknown> {
  const { step } = scope;
  const path = pathOf(node.name, scope);
  const branches = Object.fromEntries(
    node.branches.map((branch, index) => [
      `b${index}`,
      (own: WorkflowStep) => playAll(branch, within(scope, own, `${path}/b${index}`)),
    ]),
  );
  switch (node.of) {
    case "join":
      return step.join(node.name, branches);
    case "race":
      return step.race(node.name, branches);
    case "first":
      return step.race(node.name, branches, { settles: "first" });
    case "try": {
      const [first = []] = node.branches;
      const end = await step.try(node.name, (own) => playAll(first, within(scope, own, path)));
      return end.ok ? end.value : "failed";
    }
    case "map":
      return playMap(node, scope, path);
  }
}

async function playMap(node: ScopeNode, scope: Scope, path: string): Promise<unknown> {
  const run = (own: WorkflowStep, branch: Program, index: number): Promise<unknown> =>
    playAll(branch, within(scope, own, `${path}/${index}`));
  const { concurrency, tolerate } = node;
  if (tolerate === null) return scope.step.map(node.name, node.branches, run, { concurrency });
  const ends = await scope.step.map(node.name, node.branches, run, { concurrency, tolerate });
  return ends.map((end) => (end.ok ? end.value : "failed"));
}

function playStepLoop(node: StepLoopNode, scope: Scope): Promise<unknown> {
  const path = pathOf(node.name, scope);
  const { commitEvery, keep } = node;
  return scope.step.loop(node.name, {
    state: { rounds: 0 },
    commitEvery,
    keep,
    run: async (own, { rounds }, iteration) => {
      const last = await playAll(node.nodes, within(scope, own, `${path}/~${iteration}`));
      const done = { rounds: rounds + 1, last };
      return iteration + 1 < node.times ? Loop.continue(done) : Loop.break(done);
    },
  });
}
