/** What instances are in, as their rows tell, and whether they may have come there. */
import type { Books } from "./books.ts";
import type { WatchedSubject } from "./watched.ts";

/** Which statuses may follow which. @source founding spec 000 §6.3; `resume` takes a pause back that is not carried out */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  none: ["queued", "running"],
  queued: ["running", "paused", "terminated"],
  running: ["waiting", "queued", "waitingForPause", "paused", "complete", "errored", "terminated"],
  waiting: ["running", "queued", "paused", "terminated"],
  waitingForPause: ["paused", "running", "queued", "complete", "errored", "terminated"],
  paused: ["queued", "terminated"],
  complete: ["queued"],
  errored: ["queued"],
  terminated: ["queued"],
};

export const isTerminal = (status = "none"): boolean =>
  ["complete", "errored", "terminated"].includes(status);

export class Statuses {
  readonly #subject: WatchedSubject;
  readonly #books: Books;
  readonly #byKey = new Map<string, string>();
  readonly #runs = new Map<string, number>();

  constructor(subject: WatchedSubject, books: Books) {
    this.#subject = subject;
    this.#books = books;
  }

  /** Instances that exist, as `workflow/id`. */
  get keys(): readonly string[] {
    return [...this.#byKey.keys()];
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** The status of an instance when it was last looked at; undefined: there is none. */
  of(key: string): string | undefined {
    return this.#byKey.get(key);
  }

  /** Its present run by then. */
  runOf(key: string): number | undefined {
    return this.#runs.get(key);
  }

  async look(workflowName: string, instanceId: string): Promise<void> {
    const key = `${workflowName}/${instanceId}`;
    const before = this.#byKey.get(key) ?? "none";
    if (!this.#subject.isQuick) return void this.#byKey.set(key, "queued");
    const instance = await this.#subject.store.loadInstance(workflowName, instanceId);
    const after = instance?.status ?? "none";
    this.#byKey.set(key, after);
    if (instance !== null) this.#runs.set(key, instance.runNumber);
    if (before !== after && !(NEXT[before] ?? []).includes(after))
      this.#books.report("statuses", `${key} went from ${before} to ${after}`);
  }
}
