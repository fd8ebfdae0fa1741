/** What runs are told that they were asked for, their deadlines among it, and calls that move these. */
import type { InstanceRecord, UpdateRequest, UpdateResult, When } from "./engine-types.ts";
import { runIdOf } from "./facts.ts";
import type { StoreCall } from "./network.ts";
import { isTerminal, type Statuses } from "./statuses.ts";
import type { Watched } from "./watched.ts";

interface Parts extends Watched {
  readonly statuses: Statuses;
}

export class DeadlineWatch {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  set(
    { workflowName, instanceId }: Pick<InstanceRecord, "workflowName" | "instanceId">,
    when: When | null | undefined,
  ): void {
    const { books, scheduler } = this.#parts;
    books.requests.setDeadline(`${workflowName}/${instanceId}`, when, scheduler.now);
  }

  /** A claim, and a commit after which the run goes on, tell what the run was asked for. */
  checkTold(runId: string, told: string | null): void {
    const { books, scheduler } = this.#parts;
    const asked = books.requests.openAt(runId, scheduler.now);
    this.noteTold(runId, told);
    if (told !== asked)
      books.report("asked", `${runId} was asked for ${asked}, and its runner is told ${told}`);
  }

  /** From then on its deadline stays. */
  noteTold(runId: string, told: string | null): void {
    const { books, scheduler } = this.#parts;
    const { requests } = books;
    const isPast = requests.openAt(runId, scheduler.now) === "deadline";
    if (told === "deadline" && isPast && requests.openOf(runId) === null)
      requests.ask(runId, told, scheduler.now);
  }

  /** A deadline is moved unless the run has ended, or may have been told that it has passed. */
  noteUpdate({ parameters }: StoreCall, result: UpdateResult): void {
    const { facts } = parameters[0] as UpdateRequest;
    if (result.kind === "notFound" || facts.deadline === undefined) return;
    const { workflowName, instanceId } = result.instance;
    const status = this.#parts.statuses.of(`${workflowName}/${instanceId}`);
    if (!this.#mayBe(result, status))
      this.#parts.books.report(
        "deadlines",
        `${runIdOf(result.instance)} is ${status}, and its update was ${result.kind}`,
      );
    if (result.kind === "applied") this.set(result.instance, facts.deadline);
  }

  #mayBe(
    { kind, instance }: Exclude<UpdateResult, { readonly kind: "notFound" }>,
    status: string | undefined,
  ): boolean {
    const { books, scheduler, subject } = this.#parts;
    const runId = runIdOf(instance);
    const isOver = isTerminal(status);
    if (kind === "terminal") return isOver || !subject.isQuick;
    if (kind === "deadlinePassed")
      return books.requests.openAt(runId, scheduler.now) === "deadline";
    return kind === "applied" && !isOver && books.requests.openOf(runId) !== "deadline";
  }
}
