/** Looks at what each commit does to children and parents, as soon as it is applied. */
import type { ChildCreated, Commit, CommitResult, RunRef, Store } from "./engine-types.ts";
import { runIdOf } from "./facts.ts";
import type { Child, Family } from "./family.ts";
import type { StoreCall } from "./network.ts";
import { isTerminal, type Statuses } from "./statuses.ts";
import type { Watched, WatchedSubject } from "./watched.ts";

interface WatchParts extends Watched {
  /** A claim of no runs tells when the next one is due. */
  readonly subject: WatchedSubject & { readonly store: Pick<Store, "claim"> };
  readonly statuses: Statuses;
  /** A child was claimed with its creation. */
  readonly claimed: (
    call: StoreCall,
    child: ChildCreated,
    claim: NonNullable<ChildCreated["claim"]>,
  ) => void;
}

export class FamilyWatch {
  readonly #family: Family;
  readonly #parts: WatchParts;
  /** Children whose end their parents are told of. */
  readonly #told = new Set<Child>();

  constructor(family: Family, parts: WatchParts) {
    this.#family = family;
    this.#parts = parts;
  }

  /** Children that a commit has created, left, or is the last one of. */
  async noteCommit(call: StoreCall, commit: Commit, result: CommitResult): Promise<void> {
    for (const child of this.#family.noteCreated(commit, result)) {
      const { workflowName, instanceId, claim, deadline } = child;
      const { books, scheduler } = this.#parts;
      books.requests.setDeadline(`${workflowName}/${instanceId}`, deadline, scheduler.now);
      await this.#parts.statuses.look(workflowName, instanceId);
      if (claim !== null) this.#parts.claimed(call, child, claim);
    }
    const runId = runIdOf(commit.run);
    for (const change of commit.changes)
      if (change.kind === "childReleased") await this.leave(this.#family.of(runId, change.stepKey));
    if (this.#parts.subject.isQuick) await this.#lookAtFamily(commit);
  }

  /** Their parent waits for them no more: they are asked to end, if they have not, as they were started to. */
  async leave(children: readonly Child[]): Promise<void> {
    for (const { workflow, instanceId, onParentEnd, key } of children) {
      if (onParentEnd === "abandon" || isTerminal(this.#parts.statuses.of(key))) continue;
      const instance = await this.#parts.subject.store.loadInstance(workflow, instanceId);
      if (instance === null) continue;
      this.#parts.books.requests.ask(runIdOf(instance), onParentEnd, this.#parts.scheduler.now);
      this.#parts.books.touched(runIdOf(instance));
      await this.#parts.statuses.look(workflow, instanceId);
    }
  }

  /** What one commit writes is there at once: a child with the wait for it, and what its parent is told with its end. */
  async #lookAtFamily({ run, changes, outcome }: Commit): Promise<void> {
    for (const change of changes) {
      if (change.kind !== "step") continue;
      const { type, status, result, stepKey } = change.step;
      if (type !== "invoke" || status !== "waiting" || result === null) continue;
      const { workflowName, instanceId } = JSON.parse(result) as Record<string, string>;
      if (this.#parts.statuses.of(`${workflowName}/${instanceId}`) === undefined)
        this.#parts.books.report(
          "children",
          `${runIdOf(run)} ${stepKey} waits for a child, and has none`,
        );
    }
    if (["complete", "fail", "terminate"].includes(outcome.kind)) await this.checkTogether(run);
  }

  /** A run has ended: whoever waits for it as for a child is told, and due. */
  async checkTogether(run: RunRef): Promise<void> {
    const child = this.#family.find(`${run.workflowName}/${run.instanceId}`);
    if (child === undefined || !this.#parts.subject.isQuick || this.#told.has(child)) return;
    const { store } = this.#parts.subject;
    const [workflowName = "", instanceId = "", runNumber] = child.parentRunId.split("/");
    const parent = await store.loadInstance(workflowName, instanceId);
    const isOver = parent?.runNumber !== Number(runNumber) || isTerminal(parent.status);
    this.#told.add(child);
    if (isOver) return;
    const page = { pageSize: 100, stepsAfter: null, eventsAfter: null };
    const { steps, events } = await store.loadHistory({ ...toRef(parent), ...page });
    const type = `child ${child.instanceId} ${child.stepKey}`;
    if (!events.items.some((event) => event.type === type))
      this.#parts.books.report(
        "children",
        `${runIdOf(run)} has ended, and its parent was not told`,
      );
    const waits = steps.items.some(
      ({ waitEventType, status }) => waitEventType === type && status === "waiting",
    );
    if (parent.status !== "waiting" || !waits) return;
    const workflowNames = [workflowName];
    const look = { token: "look", limit: 0, leaseMs: 1000, workflowNames };
    const { nextWakeAt } = await store.claim(look);
    if ((nextWakeAt ?? Infinity) > this.#parts.scheduler.now)
      this.#parts.books.report("children", `${runIdOf(run)} has ended, and its parent is not due`);
  }
}

const toRef = ({ workflowName, instanceId, runNumber }: RunRef): RunRef => ({
  workflowName,
  instanceId,
  runNumber,
});
