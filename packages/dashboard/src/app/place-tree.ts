/** Steps as a tree of places: a step's inner steps come below it. */
import { spanOf, type StepShown } from "./shapes.ts";

/** A line of the waterfall. */
export interface Line {
  readonly step: StepShown;
  /** How many steps are around it. */
  readonly depth: number;
  /** The branch of the step around it; null: none. */
  readonly branch: string | null;
  /** How many steps are inside it. */
  readonly inside: number;
  /**
   * From the first start to the last change of the step and of everything inside it, because a scope's own row may be written at its end.
   */
  readonly span: Span;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

interface Entry {
  readonly step: StepShown;
  branch: string | null;
  readonly children: Entry[];
  span: Span;
}

/** All lines, in the order of places, without those inside folded steps. */
export function toLines(steps: readonly StepShown[], folded: ReadonlySet<string>): Line[] {
  const entries = new Map(steps.map((step): [string, Entry] => [step.stepKey, toEntry(step)]));
  const roots: Entry[] = [];
  for (const entry of entries.values()) {
    const parent = findParent(entry.step.stepKey, entries);
    (parent?.children ?? roots).push(entry);
    entry.branch = toBranch(entry.step.stepKey, parent?.step.stepKey);
    widen(parent, entry.span, entries);
  }
  const lines: Line[] = [];
  const pending = roots.toReversed().map((entry) => ({ entry, depth: 0 }));
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { entry, depth } = next;
    const { step, branch, span, children } = entry;
    lines.push({ step, branch, depth, inside: children.length, span });
    if (folded.has(step.stepKey)) continue;
    for (const child of children.toReversed()) pending.push({ entry: child, depth: depth + 1 });
  }
  return lines;
}

const toEntry = (step: StepShown): Entry => ({
  step,
  branch: null,
  children: [],
  span: spanOf(step),
});

function widen(
  entry: Entry | undefined,
  { from, to }: Span,
  entries: ReadonlyMap<string, Entry>,
): void {
  for (let outer = entry; outer !== undefined; outer = findParent(outer.step.stepKey, entries))
    outer.span = { from: Math.min(outer.span.from, from), to: Math.max(outer.span.to, to) };
}

/** The part of a key between the step around it and its own name, without iterations. */
function toBranch(key: string, parentKey: string | undefined): string | null {
  if (parentKey === undefined) return null;
  const between = key
    .slice(parentKey.length + 1)
    .split("/")
    .slice(0, -1);
  const named = between.findLast((part) => !part.startsWith("~"));
  return named === undefined ? null : decodePart(named);
}

/** The innermost step whose key is a prefix of the key. */
function findParent(key: string, entries: ReadonlyMap<string, Entry>): Entry | undefined {
  for (let at = key.lastIndexOf("/"); at > 0; at = key.lastIndexOf("/", at - 1)) {
    const parent = entries.get(key.slice(0, at));
    if (parent !== undefined) return parent;
  }
  return undefined;
}

/** The label of a line below the step around it: the branch or iteration, and the name. */
export function toLabel({ step }: Line): string {
  const parts = step.stepKey.split("/");
  const iteration = parts.findLast(
    (part, index) => index < parts.length - 1 && part.startsWith("~"),
  );
  const last = decodePart(parts.at(-1) ?? step.name);
  return iteration === undefined ? last : `${last} · ${Number(iteration.slice(1)) + 1}`;
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
