/** Decodes the results of a history in groups: for small ones, each call of the parser takes longer than what it parses. */
import { attempt } from "../core/attempt.ts";
import type { HistoryStep, SettledStep } from "../core/model/records.ts";
import { isTagged } from "../core/plain-codec.ts";
import type { StepWrite } from "../core/model/change.ts";

/** Of a group: results, and characters after which none is added. */
const MAX_RESULTS = 64;
const MAX_LENGTH = 65_536;

/** A step's result has to be decoded by itself. */
export const APART: unique symbol = Symbol("apart");

export class ReplayedResults {
  readonly #steps: readonly SettledStep[];
  /** The index in `#steps` of the step that is expected next. */
  #next = 0;
  /** Decoded results of the steps up to the index `#end`. */
  #values: readonly unknown[] = [];
  #end = 0;

  /** @param steps settled steps in the order in which author code is told their outcomes */
  constructor(steps: readonly SettledStep[]) {
    this.#steps = steps;
  }

  /** The decoded result of a completed step, which is given once; `APART`: no group has it. */
  take(step: HistoryStep | StepWrite): unknown {
    while (isBefore(this.#steps[this.#next], step)) this.#next += 1;
    if (this.#steps[this.#next] !== step) return APART;
    if (this.#next >= this.#end) this.#decodeFrom(this.#next);
    const index = this.#next - this.#end + this.#values.length;
    this.#next += 1;
    return this.#next > this.#end ? APART : step.result === null ? undefined : this.#values[index];
  }

  #decodeFrom(start: number): void {
    const texts: string[] = [];
    let length = 0;
    for (let index = start; texts.length < MAX_RESULTS && length < MAX_LENGTH; index += 1) {
      const text = plainResult(this.#steps[index]);
      if (text === null) break;
      texts.push(text);
      length += text.length;
    }
    const values = attempt(() => JSON.parse(`[${texts.join(",")}]`) as readonly unknown[], []);
    this.#values = values.length === texts.length ? values : [];
    this.#end = start + this.#values.length;
  }
}

const isBefore = (recorded: SettledStep | undefined, step: HistoryStep | StepWrite): boolean =>
  recorded !== undefined && step.settledOrder !== null && recorded.settledOrder < step.settledOrder;

/** As JSON; null: it is no value that JSON can represent. */
function plainResult(step: SettledStep | undefined): string | null {
  if (step?.status !== "completed") return null;
  const { result } = step;
  return result === null ? "null" : isTagged(result) ? null : result;
}
