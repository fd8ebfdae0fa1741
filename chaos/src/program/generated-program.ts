/** Programs made of chance: trees of steps, sleeps, sequences, parallel branches and races. */
import { createRandom, type Random } from "../random.ts";
import type { TracedStep } from "./traced-step.ts";

/** A node of a program. Names are unique in their program. */
type Node =
  | { readonly kind: "do"; readonly name: string; readonly limit: number; readonly fails: boolean }
  | { readonly kind: "sleep"; readonly name: string; readonly ms: number }
  | { readonly kind: "nap"; readonly turns: number }
  | { readonly kind: Joining; readonly parts: readonly Node[] };

type Joining = "sequence" | "all" | "race" | "settled";

/** The program of a seed: the same one on every replay. */
export function generateProgram(seed: string): Node {
  const random = createRandom(`program ${seed}`);
  let names = 0;
  const newName = (prefix: string): string => {
    names += 1;
    return `${prefix}${names}`;
  };
  const grow = (depth: number): Node => {
    const kind = depth === 0 ? "leaf" : random.pick(["leaf", "sequence", "all", "race", "settled"]);
    if (kind === "leaf") return leaf(random, newName);
    const parts = Array.from({ length: random.between(2, 3) }, () => grow(depth - 1));
    return { kind: kind as Joining, parts };
  };
  return {
    kind: "sequence",
    parts: Array.from({ length: random.between(2, 4) }, () => grow(2)),
  };
}

function leaf(random: Random, newName: (prefix: string) => string): Node {
  const kind = random.pick(["do", "do", "do", "sleep", "nap"]);
  if (kind === "sleep")
    return { kind, name: newName("sleep"), ms: random.pick([10, 30, 30, 200, 700]) };
  // Awaits that are not of steps, of any depth: they must not change what is durable.
  if (kind === "nap") return { kind, turns: random.between(1, 12) };
  return {
    kind: "do",
    name: newName("do"),
    limit: random.pick([0, 3, 3]),
    fails: random.chance(0.2),
  };
}

/** Runs a program. Resolves to a word that depends on what was seen. */
export async function runProgram(step: TracedStep, node: Node): Promise<string> {
  switch (node.kind) {
    case "do":
      return step.do(node.name, { limit: node.limit, fails: node.fails ? "first" : "never" });
    case "sleep":
      await step.sleep(node.name, node.ms);
      return node.name;
    case "nap":
      for (let turn = 0; turn < node.turns; turn += 1) await Promise.resolve();
      return "nap";
    case "sequence":
      for (const part of node.parts) await runProgram(step, part);
      return "sequence";
    case "all":
      await Promise.all(node.parts.map((part) => runProgram(step, part)));
      return "all";
    case "settled":
      await Promise.allSettled(node.parts.map((part) => runProgram(step, part)));
      return "settled";
    case "race":
      return runRace(step, node.parts);
  }
}

async function runRace(step: TracedStep, parts: readonly Node[]): Promise<string> {
  const winner = await Promise.race(
    parts.map(async (part, index) => {
      await runProgram(step, part);
      return index;
    }),
  );
  step.saw(`winner ${winner}`);
  return `branch ${winner}`;
}
