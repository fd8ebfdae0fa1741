/** Who has started whom: children, as commits that were applied tell, and what is asked of them as their parents leave them. */
import type { OnParentEnd } from "../program.ts";
import type { Books } from "./books.ts";
import type { ChildCreated, Commit, CommitResult } from "./engine-types.ts";
import { runIdOf } from "./facts.ts";

/** An instance that a step has started. */
export interface Child {
  /** As `workflow/id`. */
  readonly key: string;
  readonly workflow: string;
  readonly instanceId: string;
  /** The run whose step it is. */
  readonly parentRunId: string;
  readonly stepKey: string;
  readonly onParentEnd: OnParentEnd;
}

/** How a run of a child came to its end. */
export interface ChildEnd {
  readonly kind: "complete" | "fail" | "terminate";
  readonly output: string | null;
  readonly at: number;
}

export class Family {
  readonly children: Child[] = [];
  /** By run and step, the ids that commits gave its child, applied or not. */
  readonly ids: Map<string, Set<string>> = new Map();
  readonly #books: Books;

  constructor(books: Books) {
    this.#books = books;
  }

  /** A runner sends a commit. */
  noteAsked({ run, changes }: Commit): void {
    for (const change of changes) {
      if (change.kind !== "childCreated") continue;
      const step = `${runIdOf(run)} ${change.stepKey}`;
      this.ids.set(step, (this.ids.get(step) ?? new Set()).add(change.instanceId));
    }
  }

  /** A commit was applied. @returns children that it has created */
  noteCreated({ run, changes }: Commit, result: CommitResult): readonly ChildCreated[] {
    const created = changes.filter((change) => change.kind === "childCreated");
    const tasks = result.kind === "committed" ? (result.children ?? []) : [];
    // A repeat of a commit is answered as the first was.
    const own = created.filter(
      ({ taskRowId, workflowName, instanceId }) =>
        tasks.includes(taskRowId) && this.find(`${workflowName}/${instanceId}`) === undefined,
    );
    for (const { workflowName: workflow, instanceId, stepKey, onParentEnd } of own)
      this.children.push({
        key: `${workflow}/${instanceId}`,
        workflow,
        instanceId,
        parentRunId: runIdOf(run),
        stepKey,
        onParentEnd,
      });
    return own;
  }

  find(key: string): Child | undefined {
    return this.children.find((child) => child.key === key);
  }

  /** Children of a run. @param stepKey of one of its steps. @default of all */
  of(runId: string, stepKey?: string): readonly Child[] {
    return this.children.filter(
      (child) =>
        child.parentRunId === runId && (stepKey === undefined || child.stepKey === stepKey),
    );
  }

  /** Children of an instance, and theirs, in the order in which they were started. */
  below(key: string): readonly Child[] {
    const own = new Set([key]);
    return this.children.filter((child) => {
      const isOwn = own.has(child.parentRunId.slice(0, child.parentRunId.lastIndexOf("/")));
      if (isOwn) own.add(child.key);
      return isOwn;
    });
  }

  /** How the first run of a child ended that came to an end: that is what its parent is told. */
  firstEndOf({ key }: Child): ChildEnd | null {
    const { ends, terminated } = this.#books;
    const isOwn = ([runId]: readonly [string, unknown]): boolean => runId.startsWith(`${key}/`);
    const byItself = [...ends].filter(isOwn).map(([, end]): ChildEnd => end);
    const fromOutside = [...terminated]
      .filter(isOwn)
      .map(([, at]): ChildEnd => ({ kind: "terminate", output: null, at }));
    return [...byItself, ...fromOutside].toSorted((a, b) => a.at - b.at)[0] ?? null;
  }
}
