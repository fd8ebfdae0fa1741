/**
 * Calls of steps that make no progress: refused ones, and repeats of a settled step. They are told like outcomes, one per
 * turn, so that a loop of them blocks no timer and no other run. A run that makes nothing but such calls is stopped.
 */
import { Refusal } from "./refusal.ts";
import type { Limits } from "../core/limits.ts";
import type { StepWrite } from "../core/model/change.ts";
import type { HistoryStep } from "../core/model/records.ts";

export class Refusals {
  readonly #limits: Pick<Limits, "maxIdleCalls">;
  readonly #stop: (error: Refusal) => void;
  readonly #waiting: (() => void)[] = [];
  #warnedOf: Set<unknown> | null = null; // null: none was
  #idleCalls = 0;
  #lateCalls = 0;

  /** @param stop called when the run has made too many such calls in a row */
  constructor(limits: Pick<Limits, "maxIdleCalls">, stop: (error: Refusal) => void) {
    this.#limits = limits;
    this.#stop = stop;
  }

  add(reject: () => void): void {
    this.#waiting.push(reject);
    this.noteIdle();
  }

  /** Whether none has been refused with this code, or logged as this event, before. */
  isNews(code: unknown): boolean {
    const warnedOf = (this.#warnedOf ??= new Set());
    return warnedOf.size < warnedOf.add(code).size;
  }

  /** Author code has called something after its end. @returns whether it is told that: a loop of such calls would never yield */
  noteLate(): boolean {
    this.#lateCalls += 1;
    return this.#lateCalls <= this.#limits.maxIdleCalls;
  }

  /** Takes out what is to be told next; null: nothing. */
  next(): (() => void) | null {
    return this.#waiting.shift() ?? null;
  }

  /** Notes that a step settles. A sleep that is over when it is called counts as idle, because sleeps do not count as rows. */
  noteSettled({ type }: Pick<StepWrite, "type">, record: HistoryStep | null): void {
    if (type === "sleep" && record === null) this.noteIdle();
    else this.noteProgress();
  }

  /** Notes that a step has settled, or that a replay has come to a settled one. */
  noteProgress(): void {
    this.#idleCalls = 0;
  }

  /** Notes that author code has made a call without progress. */
  noteIdle(): void {
    this.#idleCalls += 1;
    const { maxIdleCalls } = this.#limits;
    if (this.#idleCalls !== maxIdleCalls) return;
    this.#stop(new Refusal((texts) => texts.spinning(maxIdleCalls)));
  }
}
