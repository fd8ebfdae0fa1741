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
  /** How often the run had been brought back or retried. */
  readonly life: number;
}

/** Ids that commits gave the child of a step, applied or not, in one life of its run. */
interface AskedIds {
  readonly runId: string;
  readonly stepKey: string;
  readonly ids: Set<string>;
}

/** How a run of a child came to its end. */
export interface ChildEnd {
  readonly kind: "complete" | "fail" | "terminate";
  readonly output: string | null;
  readonly at: number;
}

export class Family {
  readonly children: Child[] = [];
  /** By run, its life, and step. */
  readonly ids: Map<string, AskedIds> = new Map();
  readonly #books: Books;

  constructor(books: Books) {
    this.#books = books;
  }

  /** A runner sends a commit. */
  noteAsked({ run, lease, changes }: Commit): void {
    const runId = runIdOf(run);
    const life = this.#books.leaseOf(lease.token, runId)?.reopenings ?? 0;
    for (const change of changes) {
      if (change.kind !== "childCreated") continue;
      const { stepKey, instanceId } = change;
      const key = `${runId} ${life} ${stepKey}`;
      const asked = this.ids.get(key) ?? { runId, stepKey, ids: new Set() };
      asked.ids.add(instanceId);
      this.ids.set(key, asked);
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
    const parentRunId = runIdOf(run);
    const life = this.#books.reopeningsOf(parentRunId);
    for (const { workflowName: workflow, instanceId, stepKey, onParentEnd } of own) {
      const key = `${workflow}/${instanceId}`;
      this.children.push({ key, workflow, instanceId, parentRunId, stepKey, onParentEnd, life });
      if (this.#books.settled.get(parentRunId)?.has(stepKey) === true)
        this.#books.report("children", `${parentRunId} ${stepKey} has settled and starts ${key}`);
    }
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
  firstEndOf(child: Child): ChildEnd | null {
    return this.endsOf(child)[0] ?? null;
  }

  /** How runs of a child ended, the first one first. */
  endsOf({ key }: Child): readonly ChildEnd[] {
    const { ends, terminated } = this.#books;
    const isOwn = ([runId]: readonly [string, unknown]): boolean => runId.startsWith(`${key}/`);
    const byItself = [...ends]
      .filter(isOwn)
      .flatMap(([, { kind, output, at }]): ChildEnd[] =>
        kind === "retry" ? [] : [{ kind, output, at }],
      );
    const fromOutside = [...terminated]
      .filter(isOwn)
      .map(([, at]): ChildEnd => ({ kind: "terminate", output: null, at }));
    return [...byItself, ...fromOutside].toSorted((a, b) => a.at - b.at);
  }
}
