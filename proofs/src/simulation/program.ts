/** Random workflows as data: what they are, how they run, and what they must come to. */
import { defineWorkflow, type WorkflowDefinition, type WorkflowStep } from "@escapement/engine";
import fc from "fast-check";

/** `fails`: attempts that throw before one returns; `child`: nodes that an instance of their own runs. Winners of races do not depend on when a runner dies. */
export type Node =
  | { readonly kind: "do"; readonly fails: number }
  | { readonly kind: "sleep"; readonly ms: number }
  | { readonly kind: "wait"; readonly arrives: boolean }
  | { readonly kind: "all"; readonly branches: readonly (readonly Node[])[] }
  | { readonly kind: "race"; readonly winner: readonly Node[] }
  | { readonly kind: "child"; readonly nodes: readonly Node[] };

export type Program = readonly Node[];

/** Longer than any simulation takes, whatever is killed in it. */
const FOREVER_MS = 300 * 86_400_000;
const EVENT_TIMEOUT_MS = 60_000;

const leaf: fc.Arbitrary<Node> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("do" as const),
      fails: fc.constantFrom(0, 0, 0, 1, 2),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("sleep" as const),
      ms: fc.constantFrom(0, 1, 1000, 60_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("wait" as const), arrives: fc.boolean() }),
  },
);

const sequence = (node: fc.Arbitrary<Node>): fc.Arbitrary<readonly Node[]> =>
  fc.array(node, { minLength: 1, maxLength: 3 });

/** Events are sent to the first instance alone. */
const unsent = (node: Node): Node => (node.kind === "wait" ? { ...node, arrives: false } : node);

const child = (node: fc.Arbitrary<Node>): fc.Arbitrary<Node> =>
  sequence(node.map(unsent)).map((nodes) => ({ kind: "child", nodes }));

const branchNode: fc.Arbitrary<Node> = fc.oneof(
  { weight: 5, arbitrary: leaf },
  { weight: 1, arbitrary: child(fc.oneof({ weight: 5, arbitrary: leaf }, child(leaf))) },
);

const composite: fc.Arbitrary<Node> = fc.oneof(
  { weight: 4, arbitrary: branchNode },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("all" as const),
      branches: fc.array(sequence(branchNode), { minLength: 2, maxLength: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("race" as const), winner: sequence(branchNode) }),
  },
);

export const programs: fc.Arbitrary<Program> = fc.array(composite, { minLength: 1, maxLength: 5 });

/** What the bodies of a program do to the world outside. */
export interface World {
  /** @returns whether this attempt fails. May never settle: its process is dead */
  effect(stepKey: string, attempt: number, fails: number): Promise<boolean>;
}

/** Names are paths, so that every step has its own. */
async function runNode(
  step: WorkflowStep,
  world: World,
  node: Node,
  path: string,
): Promise<unknown> {
  if (node.kind === "do") {
    const retries = { limit: 30, delay: "1 second", backoff: "constant" } as const;
    return step.do(path, { retries }, async ({ stepKey, attempt }) => {
      if (await world.effect(stepKey, attempt, node.fails)) throw new TypeError(`${path} fails`);
      return `did ${path}`;
    });
  }
  if (node.kind === "sleep") return step.sleep(path, node.ms);
  if (node.kind === "wait") {
    const options = {
      type: eventTypeOf(path),
      timeout: node.arrives ? FOREVER_MS : EVENT_TIMEOUT_MS,
    };
    return (await step.tryWaitForEvent(path, options))?.payload ?? `no event for ${path}`;
  }
  if (node.kind === "child")
    return step.invoke("part", { name: path, params: { nodes: node.nodes, path } });
  if (node.kind === "all")
    return Promise.all(
      node.branches.map((branch, index) => runAll(step, world, branch, `${path}-${index}`)),
    );
  return Promise.race([
    runAll(step, world, node.winner, `${path}-w`),
    step.sleep(`${path}-loser`, FOREVER_MS).then(() => "the loser won"),
  ]);
}

async function runAll(
  step: WorkflowStep,
  world: World,
  nodes: readonly Node[],
  path: string,
): Promise<unknown> {
  const results: unknown[] = [];
  for (const [index, node] of nodes.entries())
    results.push((await runNode(step, world, node, `${path}.${index}`)) ?? null);
  return results;
}

/** The program, and what its children run. */
export const createProgramWorkflows = (
  program: Program,
  world: World,
): Readonly<Record<"PROGRAM" | "PART", WorkflowDefinition>> => ({
  PROGRAM: defineWorkflow({ name: "program" }, (_event, step) => runAll(step, world, program, "p")),
  PART: defineWorkflow({ name: "part" }, (event, step) => {
    const { nodes, path } = event.payload as { readonly nodes: Program; readonly path: string };
    return runAll(step, world, nodes, path);
  }),
});

const eventTypeOf = (path: string): string => path.replaceAll(".", "_");

/** A step of a program as the oracle needs it. */
export interface Expected {
  readonly path: string;
  readonly node: Node;
}

/** Every leaf of a program with its path, and every child. */
export function leavesOf(nodes: readonly Node[], path = "p"): readonly Expected[] {
  return nodes.flatMap((node, index): readonly Expected[] => {
    const own = `${path}.${index}`;
    if (node.kind === "all")
      return node.branches.flatMap((branch, number) => leavesOf(branch, `${own}-${number}`));
    if (node.kind === "child") return [{ path: own, node }, ...leavesOf(node.nodes, own)];
    return node.kind === "race" ? leavesOf(node.winner, `${own}-w`) : [{ path: own, node }];
  });
}

/** Events that must be sent, each with a payload of its own. */
export const eventsOf = (
  program: Program,
): readonly { readonly type: string; readonly payload: string }[] =>
  leavesOf(program).flatMap(({ path, node }) =>
    node.kind === "wait" && node.arrives
      ? [{ type: eventTypeOf(path), payload: `event of ${path}` }]
      : [],
  );
