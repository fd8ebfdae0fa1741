/** One import under way: what it has staged, and what it needs to know to finish. */
import { invalidRecord } from "../core/move/fields.ts";
import type { ExportHeader } from "../core/move/format.ts";
import type { MovedEvent, MovedRecord, MovedStep } from "../core/move/records.ts";
import { topicOfWait } from "../core/move/topic-of-wait.ts";
import { type InstanceRef, instanceKey } from "../core/model/instance-key.ts";
import { utf8Size } from "../core/plain-codec.ts";
import type {
  FinishImportResult,
  ImportRef,
  MovedCounts,
  MovingStore,
  StagedRecord,
} from "../ports/move.ts";

const CHUNK_RECORDS = 200;
/** The most characters of a chunk. A larger record is a chunk of its own. */
const CHUNK_LENGTH = 1_048_576;

/** An open wait, and the events of its run that it may not take. */
interface EventMark {
  readonly stepId: string;
  readonly runNumber: number;
  /** The sequence in the store that it comes from. */
  readonly upTo: number;
  eventId: string | null;
}

export class Import {
  readonly #moving: MovingStore;
  readonly #header: ExportHeader;
  readonly #newId: () => string;
  #chunk: StagedRecord[] = [];
  #chunkLength = 0;
  #rootRowId = "";
  /** The current run number of the instance that is being read. */
  #runNumber = 0;
  #bytesBefore = 0;
  readonly #topics: Map<string, string> = new Map();
  readonly #marks: EventMark[] = [];
  /** The marks of the instance that is being read. */
  #ownMarks: EventMark[] = [];

  constructor(moving: MovingStore, header: ExportHeader, newId: () => string) {
    this.#moving = moving;
    this.#header = header;
    this.#newId = newId;
  }

  /** Begins, and removes what an earlier try has left. */
  async begin(): Promise<void> {
    await this.#moving.discardImport(this.#ref());
  }

  async add(of: InstanceRef, record: MovedRecord): Promise<void> {
    const rowId = "id" in record ? record.id : this.#newId();
    const { workflowName, instanceId } = of;
    const length = JSON.stringify(record).length;
    if (this.#chunk.length >= CHUNK_RECORDS || this.#chunkLength + length > CHUNK_LENGTH)
      await this.#flush();
    if (record.kind === "instance") this.#begin(of, { rowId, runNumber: record.runNumber });
    else if (record.kind === "step") this.#noteStep(record);
    else if (record.kind === "event") this.#noteEvent(record);
    const bytesBefore = record.kind === "progress" ? this.#bytesBefore : 0;
    if (record.kind === "progress") this.#bytesBefore += utf8Size(record.value);
    this.#chunk.push({ workflowName, instanceId, record, rowId, bytesBefore });
    this.#chunkLength += length;
  }

  async finish(counts: MovedCounts): Promise<FinishImportResult> {
    await this.#flush();
    const result = await this.#moving.finishImport({
      ...this.#ref(),
      root: this.#header.root,
      rootRowId: this.#rootRowId,
      counts,
      topicWaits: [...this.#topics].map(([stepId, topic]) => ({ stepId, topic })),
      eventMarks: this.#marks.map(({ stepId, eventId }) => ({ stepId, eventId })),
    });
    if (result.kind !== "imported") await this.discard();
    return result;
  }

  async discard(): Promise<void> {
    await this.#moving.discardImport(this.#ref());
  }

  #ref(): ImportRef {
    return { importId: this.#header.exportId, workflowNames: this.#header.workflows };
  }

  async #flush(): Promise<void> {
    const records = this.#chunk;
    this.#chunk = [];
    this.#chunkLength = 0;
    if (records.length > 0) await this.#moving.stage({ ...this.#ref(), records });
  }

  #begin(of: InstanceRef, { rowId, runNumber }: { rowId: string; runNumber: number }): void {
    if (instanceKey(of) === instanceKey(this.#header.root)) this.#rootRowId = rowId;
    this.#runNumber = runNumber;
    this.#bytesBefore = 0;
    this.#ownMarks = [];
  }

  #noteStep(step: MovedStep): void {
    const { id, type, status, runNumber, result } = step;
    if (runNumber !== this.#runNumber || status !== "waiting") return;
    const topic = topicOfWait(step);
    if (topic !== null) this.#topics.set(id, topic);
    else if (type === "waitForTopic") throw invalidRecord("waitEventType", "a topic");
    if (type !== "waitForEvent" || result === null) return;
    const upTo = Number(result);
    if (!Number.isSafeInteger(upTo)) throw invalidRecord("result", "the sequence of an event");
    const mark = { stepId: id, runNumber, upTo, eventId: null };
    this.#marks.push(mark);
    this.#ownMarks.push(mark);
  }

  #noteEvent({ id, runNumber, sequence }: MovedEvent): void {
    // The wait has its message already: an event with the step's id.
    this.#topics.delete(id);
    for (const mark of this.#ownMarks)
      if (mark.runNumber === runNumber && sequence <= mark.upTo) mark.eventId = id;
  }
}
