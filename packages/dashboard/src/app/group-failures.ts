/** Groups similar failures: the same workflow and code, and messages that differ only in numbers and quoted texts. */
import type { Found } from "./shapes.ts";

export interface FailureGroup {
  readonly key: string;
  /** The newest instance of the group. */
  readonly newest: Found["instances"][number];
  readonly count: number;
}

/** The largest group first. @param instances those without an error are ignored */
export function groupFailures(instances: Found["instances"]): readonly FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const found of instances) {
    const { error } = found.details;
    if (error === undefined) continue;
    const key = [found.workflowName, error.code ?? error.name, toPattern(error.message)].join(" ");
    const { newest = found, count = 0 } = groups.get(key) ?? {};
    groups.set(key, { key, newest, count: count + 1 });
  }
  return [...groups.values()].toSorted((a, b) => b.count - a.count);
}

const toPattern = (message: string): string =>
  message.slice(0, 500).replaceAll(/"[^"]*"|'[^']*'|\d+/g, "…");
