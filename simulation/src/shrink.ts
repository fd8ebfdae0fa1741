/** Makes a failing scenario smaller: fewer faults, troubles, instances, runners and nodes, as long as it fails by the same rule. */
import type { Leaf, Node, Program } from "./program.ts";
import type { Action, Scenario, WorkflowPlan } from "./scenario.ts";
import { insideOf, isLeaf } from "./walk.ts";

/**
 * The smallest scenario found that still fails.
 *
 * @param fails plays a scenario. @returns whether it breaks the same rule
 * @param tries scenarios to play at most
 */
export async function shrink(
  scenario: Scenario,
  fails: (smaller: Scenario) => Promise<boolean>,
  tries = 400,
): Promise<Scenario> {
  let best = scenario;
  let left = tries;
  for (let isSmaller = true; isSmaller && left > 0;) {
    isSmaller = false;
    for (const candidate of smallerThan(best)) {
      if (left === 0) break;
      left -= 1;
      if (!(await fails(candidate))) continue;
      best = candidate;
      isSmaller = true;
      break;
    }
  }
  return best;
}

function* smallerThan(scenario: Scenario): Generator<Scenario> {
  for (const faults of thinner(scenario.faults)) yield { ...scenario, faults };
  for (const actions of thinner(scenario.actions)) yield { ...scenario, actions };
  for (const instances of thinner(scenario.instances))
    if (instances.length > 0) yield { ...scenario, instances };
  yield* withFewerRunners(scenario);
  yield* withPlainerRunners(scenario);
  for (const [index, workflow] of scenario.workflows.entries())
    for (const smaller of smallerWorkflows(workflow))
      yield { ...scenario, workflows: scenario.workflows.with(index, smaller) };
}

/** Without half of it, then without one of it. */
function* thinner<T>(list: readonly T[]): Generator<readonly T[]> {
  const half = Math.floor(list.length / 2);
  if (half > 1) {
    yield list.slice(half);
    yield list.slice(0, half);
  }
  for (const index of list.keys()) yield list.toSpliced(index, 1);
}

function* withFewerRunners(scenario: Scenario): Generator<Scenario> {
  for (const [index, _runner] of scenario.runners.entries()) {
    if (scenario.runners.length === 1) return;
    const actions = scenario.actions.flatMap((action): readonly Action[] => {
      if (!("runner" in action)) return [action];
      if (action.runner === index) return [];
      return [{ ...action, runner: action.runner > index ? action.runner - 1 : action.runner }];
    });
    yield { ...scenario, actions, runners: scenario.runners.toSpliced(index, 1) };
  }
}

function* withPlainerRunners(scenario: Scenario): Generator<Scenario> {
  for (const [index, runner] of scenario.runners.entries()) {
    const plain = { ...runner, kind: "loop", skewMs: 0, drift: 0, concurrency: 8 } as const;
    if (JSON.stringify(plain) !== JSON.stringify(runner))
      yield { ...scenario, runners: scenario.runners.with(index, plain) };
  }
}

function* smallerWorkflows(workflow: WorkflowPlan): Generator<WorkflowPlan> {
  const [first, second] = workflow.versions;
  if (second !== undefined) yield { ...workflow, versions: [first] };
  for (const program of smallerPrograms(first))
    yield { ...workflow, versions: second === undefined ? [program] : [program, second] };
  if (second === undefined) return;
  for (const program of smallerPrograms(second)) yield { ...workflow, versions: [first, program] };
}

function* smallerPrograms(program: Program): Generator<Program> {
  for (const [index, node] of program.entries()) {
    if (program.length > 1) yield program.toSpliced(index, 1);
    for (const inside of insideOf(node)) yield program.toSpliced(index, 1, ...inside);
    for (const smaller of smallerNodes(node)) yield program.with(index, smaller);
  }
}

function* smallerNodes(node: Node): Generator<Node> {
  if (isLeaf(node)) return yield* plainerLeaves(node);
  if ("nodes" in node) {
    for (const nodes of smallerPrograms(node.nodes)) yield { ...node, nodes };
    if ("times" in node && node.times > 1) yield { ...node, times: node.times - 1 };
    if (node.kind === "finally")
      for (const last of smallerPrograms(node.last)) yield { ...node, last };
  } else if ("branches" in node) {
    for (const [index, branch] of node.branches.entries()) {
      if (node.branches.length > 1) yield { ...node, branches: node.branches.toSpliced(index, 1) };
      for (const smaller of smallerPrograms(branch))
        yield { ...node, branches: node.branches.with(index, smaller) };
    }
  }
}

function* plainerLeaves(node: Leaf): Generator<Node> {
  if (node.depth > 0) yield { ...node, depth: 0 };
  if (node.kind === "callback") for (const uses of thinner(node.uses)) yield { ...node, uses };
  if (node.kind !== "do") return;
  const plain = { fails: 0, how: "throw", durationMs: 0 } as const;
  if (node.body.fails !== 0) yield { ...node, body: plain };
  const { undo: _undo, ...final } = node;
  if (node.undo !== undefined) yield final;
  if (node.body.durationMs > 0) yield { ...node, body: { ...node.body, durationMs: 0 } };
}
