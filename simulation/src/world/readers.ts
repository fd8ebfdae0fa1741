/** People who read the progress of instances, page by page, and come back with their cursor when an answer was lost. */
import type { ReaderPlan } from "../scenario.ts";
import type { Scheduler } from "../scheduler.ts";
import type { ProgressView } from "./engine-types.ts";
import type { Outside } from "./outside.ts";

/** A page that came with entries. */
export interface PageRead {
  readonly after: number;
  readonly missed: number;
  readonly askedAt: number;
  readonly cameAt: number;
}

/** A reader, and what it has seen. */
export interface ReaderRecord extends ReaderPlan {
  readonly workflow: string;
  readonly seen: ProgressView[];
  readonly read: PageRead[];
  cursor: number;
  /** Pages that it was given; what of them did not come, or not in time, it has asked for again. */
  pages: number;
  /** When it last asked and heard that the instance had ended and that there was no more; null: it has not. */
  endHeard: { readonly askedAt: number; readonly after: number } | null;
}

/** A reader that has heard of the end comes back: somebody may begin the instance anew. */
const COMES_BACK_MS = 20_000;
/** And one that finds nothing again and again waits for so long. */
const LONGEST_PAUSE_MS = 60_000;

export class Readers {
  readonly records: ReaderRecord[] = [];
  readonly #scheduler: Scheduler;
  readonly #outside: Pick<Outside, "insist">;

  constructor(scheduler: Scheduler, outside: Pick<Outside, "insist">) {
    this.#scheduler = scheduler;
    this.#outside = outside;
  }

  async read(plan: ReaderPlan, workflow: string): Promise<void> {
    const record = { ...plan, workflow, seen: [], read: [], cursor: 0, pages: 0, endHeard: null };
    this.records.push(record);
    for (let pauseMs = plan.pauseMs; ;) {
      const before = record.cursor;
      const hasEnded = await this.#look(record);
      // A run may wait for hours.
      const longerMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      pauseMs = record.cursor === before ? longerMs : plan.pauseMs;
      await this.#scheduler.sleep(hasEnded ? COMES_BACK_MS : pauseMs + 1, null);
    }
  }

  /** @returns whether it has heard of the end */
  async #look(record: ReaderRecord): Promise<boolean> {
    const { workflow, instance, limit, waitMs } = record;
    // An answer that comes after its reader has gone is not read.
    const turn = record.pages;
    let hasEnded = false;
    await this.#outside.insist(async ({ engine }) => {
      const after = record.cursor;
      const askedAt = this.#scheduler.now;
      const page = await engine.readProgress(workflow, instance, { after, limit, waitMs });
      if (record.cursor !== after || record.pages !== turn) return;
      record.pages += 1;
      record.seen.push(...page.entries);
      const cameAt = this.#scheduler.now;
      if (page.entries.length > 0)
        record.read.push({ after, missed: page.missed, askedAt, cameAt });
      record.cursor = page.cursor;
      hasEnded = page.ended;
      if (hasEnded) record.endHeard = { askedAt, after: page.cursor };
    }, 3);
    return hasEnded;
  }
}
