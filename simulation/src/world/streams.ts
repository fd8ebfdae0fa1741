/** What instances have truly told of their progress, by the commits that were applied. */
import { toldBy, toldIn } from "../author-leaves.ts";
import type { Books } from "./books.ts";
import type { Commit, ProgressMade } from "./engine-types.ts";
import { runIdOf } from "./facts.ts";

/** An entry that a commit has added. */
export interface ToldEntry extends Pick<ProgressMade, "stepKey" | "attempt" | "value"> {
  readonly runNumber: number;
  readonly at: number;
}

export class Streams {
  /** By `workflow/id`, in the order of the commits. */
  readonly told: Map<string, ToldEntry[]> = new Map();
  /** How much each attempt of a run has told. */
  readonly #counts = new Map<string, number>();
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
        told.push({ runNumber: run.runNumber, stepKey, attempt, value, at });
        this.#checkValue(runIdOf(run), entry);
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

  /** Each attempt tells in its order, and each thing once. */
  #checkValue(runId: string, { stepKey, attempt, value }: ProgressMade): void {
    const key = `${runId} ${stepKey} ${attempt}`;
    const n = (this.#counts.get(key) ?? 0) + 1;
    if (attempt !== null) this.#counts.set(key, n);
    const expected = attempt === null ? toldBy(stepKey) : toldIn({ stepKey, attempt }, n);
    if (value !== JSON.stringify(expected))
      this.#books.report("stream", `${runId} tells ${value}, and it is the turn of ${expected}`);
  }
}
