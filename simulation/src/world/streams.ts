/** What instances have truly told of their progress, by the commits that were applied. */
import { toldBy, toldIn } from "../author-leaves.ts";
import type { Books } from "./books.ts";
import type { Commit, ProgressMade } from "./engine-types.ts";
import { runIdOf } from "./facts.ts";

/** An entry that a commit has added. */
export interface ToldEntry extends Pick<ProgressMade, "stepKey" | "attempt" | "value"> {
  readonly runNumber: number;
  /** How often its run had been brought back or retried. */
  readonly life: number;
  readonly at: number;
}

export class Streams {
  /** By `workflow/id`, in the order of the commits. */
  readonly told: Map<string, ToldEntry[]> = new Map();
  /** How much each attempt of a run has told, by its life. */
  readonly #counts = new Map<string, number>();
  /** The latest attempt that has told something, by run, life and step. */
  readonly #attempts = new Map<string, number>();
  readonly #books: Books;

  constructor(books: Books) {
    this.#books = books;
  }

  /** Commits of one trip were applied, each for the first time. */
  committed(commits: readonly Commit[], at: number): void {
    for (const commit of commits) {
      const { run, changes } = commit;
      const key = `${run.workflowName}/${run.instanceId}`;
      const told = this.told.get(key) ?? [];
      this.told.set(key, told);
      const made = changes.filter((change) => change.kind === "progressMade");
      for (const entry of made) {
        const { stepKey, attempt, value } = entry;
        const life = this.#books.reopeningsOf(runIdOf(run));
        const before = told.at(-1)?.runNumber ?? 0;
        if (before > run.runNumber)
          this.#books.report("stream", `${runIdOf(run)} tells ${value} after run ${before}`);
        told.push({ runNumber: run.runNumber, life, stepKey, attempt, value, at });
        this.#checkValue(`${runIdOf(run)} ${life}`, entry);
        this.#checkIsOpen(runIdOf(run), entry, at);
      }
      this.#checkSteps(commit, made);
    }
  }

  /** With each step that tells there is its entry, and with no other. */
  #checkSteps({ run, changes }: Commit, made: readonly ProgressMade[]): void {
    const keys = made.flatMap(({ stepKey, attempt }) => (attempt === null ? [stepKey] : []));
    const steps = changes.flatMap((change) =>
      change.kind === "step" &&
      change.step.type === "progress" &&
      change.step.status === "completed"
        ? [change.step.stepKey]
        : [],
    );
    const [told, wanted] = [keys, steps].map((one) => one.toSorted().join(" "));
    if (told !== wanted)
      this.#books.report("stream", `${runIdOf(run)} tells of ${told} with the steps ${wanted}`);
  }

  /** What a body tells comes with the outcome of its step, or before it, and with no attempt after a later one. */
  #checkIsOpen(runId: string, { stepKey, attempt, value }: ProgressMade, at: number): void {
    if ((this.#books.settledAt.get(runId)?.get(stepKey) ?? Infinity) < at)
      this.#books.report("stream", `${runId} tells ${value} after the outcome of ${stepKey}`);
    if (attempt === null) return;
    const key = `${runId} ${this.#books.reopeningsOf(runId)} ${stepKey}`;
    const before = this.#attempts.get(key) ?? 0;
    if (before > attempt)
      this.#books.report("stream", `${runId} tells ${value} after attempt ${before}`);
    this.#attempts.set(key, attempt);
  }

  /** Each attempt tells in its order, and each thing once. */
  #checkValue(life: string, { stepKey, attempt, value }: ProgressMade): void {
    const key = `${life} ${stepKey} ${attempt}`;
    const n = (this.#counts.get(key) ?? 0) + 1;
    if (attempt !== null) this.#counts.set(key, n);
    const expected = attempt === null ? toldBy(stepKey) : toldIn({ stepKey, attempt }, n);
    if (value !== JSON.stringify(expected))
      this.#books.report("stream", `${life} tells ${value}, and it is the turn of ${expected}`);
  }
}
