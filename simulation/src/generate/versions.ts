/** Changes a program as a deploy would. */
import type { Node, Program } from "../program.ts";
import type { Random } from "../random.ts";

/** A program and what replaces it: a step more, a step less, another event type, or another limit of retries. */
export function twoVersionsOf(random: Random, program: Program): readonly [Program, Program] {
  const at = random.int(0, program.length - 1);
  const kind = random.pick(["insert", "insert", "remove", "retype", "limit"] as const);
  if (kind === "insert")
    return [program, [...program.slice(0, at), newStep(random), ...program.slice(at)]];
  if (kind === "remove") return [program, program.filter((_, index) => index !== at)];
  if (kind === "retype")
    return [
      [...program, lastWait("early")],
      [...program, lastWait("late")],
    ];
  const limited = program.map((node) =>
    node.kind === "do" ? { ...node, retries: random.int(0, 8) } : node,
  );
  return [program, limited];
}

/** Open still when nothing fails any more. */
const lastWait = (type: string): Node => ({
  kind: "wait",
  name: "last",
  type,
  timeoutMs: 3_600_000,
  since: "run",
  throws: false,
  depth: 0,
});

const newStep = (random: Random): Node => ({
  kind: "do",
  name: "added",
  body: { fails: 0, how: "throw", durationMs: random.pick([0, 20]) },
  retries: random.pick([0, 3]),
  delayMs: 100,
  timeoutMs: 3_600_000,
  depth: 0,
});
