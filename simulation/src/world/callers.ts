/** What a scenario's callers do, from outside: create, send, control, bring back, read. */
import type { Action, InstancePlan, ReaderPlan, Scenario } from "../scenario.ts";
import type { Scheduler } from "../scheduler.ts";
import { Asks } from "./asks.ts";
import type { Books } from "./books.ts";
import type { Family } from "./family.ts";
import type { Outside } from "./outside.ts";
import { Readers } from "./readers.ts";

interface Parts {
  readonly scenario: Scenario;
  readonly scheduler: Scheduler;
  readonly books: Books;
  readonly family: Family;
  readonly outside: Outside;
}

export class Callers {
  readonly #parts: Parts;
  readonly asks: Asks;
  readonly readers: Readers;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.asks = new Asks(parts.scheduler, parts.outside);
    this.readers = new Readers(parts.scheduler, parts.outside);
  }

  create({ workflow, id, deadlineMs }: InstancePlan): void {
    const deadline = deadlineMs === undefined ? {} : { deadline: deadlineMs };
    const options = { id, onExisting: "return", ...deadline } as const;
    void this.#parts.outside.insist(({ engine }) => engine.createInstance(workflow, options), 1000);
  }

  read(plan: ReaderPlan): void {
    const { workflow } =
      this.#parts.scenario.instances.find(({ id }) => id === plan.instance) ?? {};
    if (workflow !== undefined) void this.readers.read(plan, workflow);
  }

  /** Whoever reads the progress of an instance reads that of its forks too. */
  #readFork(workflow: string, of: string, instance: string): void {
    const plan = this.#parts.scenario.readers?.find((reader) => reader.instance === of);
    if (plan !== undefined) void this.readers.read({ ...plan, instance }, workflow);
  }

  emit({ topic, messageId, at }: Extract<Action, { kind: "emit" }>): void {
    const options = messageId === null ? {} : { id: messageId };
    void this.#parts.outside.insist(
      ({ engine }) => engine.emit(topic, `emitted at ${at}`, options),
      5,
    );
  }

  act(action: Extract<Action, { instance: string }>): void {
    const plan = this.#parts.scenario.instances.find(({ id }) => id === action.instance);
    if (plan === undefined) return;
    if ("step" in action) return this.#bringBack(plan, action);
    if (action.kind === "restartOrCreate") return this.#startOver(plan, action);
    const { workflow, id } = this.#meant(plan, action.descendant);
    if (action.kind === "deadline")
      return void this.#parts.outside.insist(
        ({ engine }) => engine.update(workflow, id, { deadline: action.afterMs }),
        5,
      );
    if (action.kind === "restart" && action.newKeys === true)
      return void this.#parts.outside.insist(
        ({ engine }) => engine.control(workflow, id, "restart", { newKeys: true }),
        5,
      );
    if (action.kind !== "event")
      return void this.#parts.outside.insist(
        ({ engine }) =>
          action.kind === "rollback"
            ? engine.control(workflow, id, "terminate", { rollback: true })
            : engine.control(workflow, id, action.kind),
        5,
      );
    for (let copy = 1; copy <= action.copies; copy += 1) {
      const payload = `${action.type} ${copy} of ${action.at}`;
      const eventId = `${action.type}-${action.at}-${copy}`;
      const event = { type: action.type, payload, eventId };
      if (action.asks === true) void this.asks.ask({ workflow, instanceId: id, ...event });
      else
        void this.#parts.outside.insist(({ engine }) => engine.sendEvent(workflow, id, event), 5);
    }
  }

  /** Of what the run has come to by now, one step is brought back or forked at, or the one that failed it. */
  #bringBack(
    { workflow, id }: InstancePlan,
    { kind, step, at }: Extract<Action, { kind: "rewind" | "retryFrom" | "fork" }>,
  ): void {
    const runId = [...this.#parts.books.outcomes.keys()].findLast((run) =>
      run.startsWith(`${workflow}/${id}/`),
    );
    const settled = runId === undefined ? [] : (this.#parts.books.outcomes.get(runId) ?? []);
    const { stepKey } = settled[step % Math.max(1, settled.length)] ?? { stepKey: "none" };
    const fork = `${id}-fork-${at}`;
    const done = this.#parts.outside.insist(
      ({ engine }) =>
        kind === "rewind"
          ? engine.rewind(workflow, id, stepKey)
          : kind === "retryFrom"
            ? engine.control(workflow, id, "retry", { from: stepKey })
            : engine.fork(workflow, id, stepKey, { id: fork }),
      5,
    );
    if (kind === "fork") void done.then((isMade) => isMade && this.#readFork(workflow, id, fork));
  }

  #startOver(
    { workflow, id }: InstancePlan,
    { ifEnded, copies }: Extract<Action, { kind: "restartOrCreate" }>,
  ): void {
    const ifStatus = ["complete", "errored", "terminated"] as const;
    for (let copy = 1; copy <= copies; copy += 1)
      void this.#parts.outside.insist(
        ({ engine }) => engine.restartOrCreate(workflow, { id, ...(ifEnded ? { ifStatus } : {}) }),
        5,
      );
  }

  /** An instance, or one of the children that it has by now. */
  #meant({ workflow, id }: InstancePlan, descendant = -1): Pick<InstancePlan, "workflow" | "id"> {
    const child = this.#parts.family.below(`${workflow}/${id}`)[descendant];
    return child === undefined
      ? { workflow, id }
      : { workflow: child.workflow, id: child.instanceId };
  }
}
