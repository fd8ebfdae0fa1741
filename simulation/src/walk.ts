/** Walks over programs. */
import type { Leaf, Node, Program } from "./program.ts";

/** The sequences of nodes inside a node. */
export function insideOf(node: Node): readonly Program[] {
  if (
    node.kind === "all" ||
    node.kind === "allSettled" ||
    node.kind === "race" ||
    node.kind === "any" ||
    node.kind === "scope"
  )
    return node.branches;
  if (node.kind === "later") return [[node.first], node.nodes];
  if (node.kind === "finally") return [node.nodes, node.last];
  return "nodes" in node ? [node.nodes] : [];
}

export const isLeaf = (node: Node): node is Leaf =>
  node.kind === "do" ||
  node.kind === "sleep" ||
  node.kind === "wait" ||
  node.kind === "receive" ||
  node.kind === "child" ||
  node.kind === "invoke" ||
  node.kind === "callback" ||
  node.kind === "topic" ||
  node.kind === "emit" ||
  node.kind === "progress";

/** Author code calls it, and goes on. */
export const isAside = (node: Node): boolean => "isAside" in node && node.isAside;

/** Every node, outer ones first. */
export const nodesOf = (program: Program): readonly Node[] =>
  program.flatMap((node) => [node, ...insideOf(node).flatMap(nodesOf)]);

export const leavesOf = (program: Program): readonly Leaf[] => nodesOf(program).filter(isLeaf);
