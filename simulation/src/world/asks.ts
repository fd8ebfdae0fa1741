/** People who send an event and ask for its reply, again and again, also after they have heard it. */
import { WorkflowError } from "@escapement/engine";
import type { Scheduler } from "../scheduler.ts";
import type { Outside } from "./outside.ts";

/** An event that somebody asks about. */
export interface Question {
  readonly workflow: string;
  readonly instanceId: string;
  readonly type: string;
  readonly payload: string;
  readonly eventId: string;
}

/** What was answered to one look. */
export interface AskAnswer {
  /** `answered`, `open`, or the code of a refusal. */
  readonly code: string;
  readonly reply: unknown;
  /** When it was heard. */
  readonly at: number;
  readonly askedAt: number;
}

/** One event, and all that its sender heard. */
export interface AskRecord extends Question {
  readonly runNumber: number;
  readonly answers: AskAnswer[];
}

/** Between one look and the next. */
const PAUSES_MS = [0, 4, 40, 400, 3000, 20_000, 60_000, 200_000];

export class Asks {
  readonly records: AskRecord[] = [];
  readonly #scheduler: Scheduler;
  readonly #outside: Pick<Outside, "insist">;

  constructor(scheduler: Scheduler, outside: Pick<Outside, "insist">) {
    this.#scheduler = scheduler;
    this.#outside = outside;
  }

  /** Sends an event and asks for what it is answered with. */
  async ask(question: Question): Promise<void> {
    const { workflow, instanceId, ...event } = question;
    const state: { record: AskRecord | null } = { record: null };
    await this.#outside.insist(async ({ engine }) => {
      const { details } = await engine.sendEvent(workflow, instanceId, event);
      state.record ??= { ...question, runNumber: details.runNumber, answers: [] };
    }, 5);
    const { record } = state;
    if (record === null) return;
    this.records.push(record);
    for (const pauseMs of PAUSES_MS) {
      await this.#scheduler.sleep(pauseMs, null);
      await this.#look(record);
    }
  }

  #look(record: AskRecord): Promise<boolean> {
    const { workflow, instanceId, eventId, runNumber } = record;
    return this.#outside.insist(async ({ engine }) => {
      const askedAt = this.#scheduler.now;
      const found = await engine
        .getReply(workflow, instanceId, eventId, { runNumber })
        .catch((error: unknown) => {
          if (!WorkflowError.is(error) || error.code === "STORE_UNAVAILABLE") throw error;
          return error.code;
        });
      const at = this.#scheduler.now;
      if (typeof found === "string") record.answers.push({ code: found, reply: null, at, askedAt });
      else if (found.answered)
        record.answers.push({ code: "answered", reply: found.reply, at, askedAt });
      else record.answers.push({ code: "open", reply: null, at, askedAt });
    }, 3);
  }
}
