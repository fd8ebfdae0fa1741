/** One instance of an export with its parts: checks that its records fit together. */
import { isTerminal, type StepStatus } from "../model/status.ts";
import { invalidRecord } from "./fields.ts";
import { MAX_PARTS } from "./format.ts";
import type { MovedEntry, MovedEvent, MovedInstance, MovedPart, MovedStep } from "./records.ts";

const SETTLED: ReadonlySet<StepStatus> = new Set(["completed", "errored", "cancelled"]);

/** The order of the kinds. */
const ORDER: readonly MovedPart["kind"][] = ["step", "event", "progress"];

/** @throws {WorkflowError} IMPORT_INVALID, by every method */
export class MemberCheck {
  readonly instance: MovedInstance;
  /** Values that must be unique: ids, keys and places of steps, ids of events. */
  readonly #seen: Set<string> = new Set();
  readonly #counts = { step: 0, event: 0, progress: 0 };
  /** The position of the last kind in that order. */
  #kind = 0;
  #eventSequence = 0;
  #entrySequence = 0;

  constructor(instance: MovedInstance) {
    this.instance = instance;
    const { status, completedAt, output, error } = instance;
    if (isTerminal(status) !== (completedAt !== null))
      throw invalidRecord("completedAt", "an instant, of an instance that has ended");
    if (status !== "complete" && output !== null)
      throw invalidRecord("output", "null, as it is not complete");
    if (status === "errored" && error === null) throw invalidRecord("error", "an error");
  }

  add(record: MovedPart): void {
    const kind = ORDER.indexOf(record.kind);
    if (kind < this.#kind) throw invalidRecord("kind", "steps, events and progress in this order");
    this.#kind = kind;
    this.#counts[record.kind] += 1;
    if (this.#counts[record.kind] > MAX_PARTS)
      throw invalidRecord("the instance", `${MAX_PARTS} records of a kind at most`);
    if (record.runNumber > this.instance.runNumber)
      throw invalidRecord("runNumber", "a run that the instance has had", record.runNumber);
    if (record.kind === "step") this.#addStep(record);
    else if (record.kind === "event") this.#addEvent(record);
    else this.#addEntry(record);
  }

  /** Ends the instance. */
  end(): void {
    this.#seen.clear();
  }

  #addStep({ id, runNumber, stepKey, status, settledOrder }: MovedStep): void {
    this.#once("id", `step ${id}`);
    this.#once("stepKey", `key ${runNumber} ${stepKey}`);
    if (SETTLED.has(status) !== (settledOrder !== null))
      throw invalidRecord("settledOrder", "a number, of a step that is settled", settledOrder);
    if (settledOrder !== null) this.#once("settledOrder", `order ${runNumber} ${settledOrder}`);
  }

  #addEvent(event: MovedEvent): void {
    const { id, runNumber, sequence, eventId, deliveredAt, consumedByStepKey } = event;
    this.#once("id", `event ${id}`);
    if (eventId !== null) this.#once("eventId", `eventId ${runNumber} ${eventId}`);
    if (sequence <= this.#eventSequence)
      throw invalidRecord("sequence", "a rising number", sequence);
    this.#eventSequence = sequence;
    if (deliveredAt === null && consumedByStepKey !== null)
      throw invalidRecord("deliveredAt", "an instant, of an event that a step has taken");
  }

  #addEntry({ sequence }: MovedEntry): void {
    if (this.#entrySequence !== 0 && sequence !== this.#entrySequence + 1)
      throw invalidRecord("sequence", `${this.#entrySequence + 1}`, sequence);
    this.#entrySequence = sequence;
  }

  #once(field: string, name: string): void {
    if (this.#seen.has(name)) throw invalidRecord(field, "what no record before it has");
    this.#seen.add(name);
  }
}
