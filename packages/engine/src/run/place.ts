/**
 * A place in a run where steps are called: the run itself, a branch of a scope, or an iteration of a loop. It ends when its
 * function has; what it called and did not await is told nothing from then on.
 */
import type { RepeatedNames } from "../authoring/define-workflow.ts";
import type { EpochMs } from "../core/model/records.ts";
import { toPath, toStepKey } from "../core/step-key.ts";

interface PlaceParts {
  readonly path: string;
  readonly outer: Place | null;
  readonly isOfStep: boolean;
  readonly isShielded: boolean;
}

export class Place {
  /** What keys of its steps begin with; empty: the run itself. */
  readonly path: string;
  readonly #outer: Place | null;
  readonly #mode: RepeatedNames;
  readonly #last = new Map<string, number>();
  /** Stands for a step that has a key already: whatever its length was, it was taken. */
  readonly isOfStep: boolean;
  /** Its steps go on though the instance is cancelled. */
  readonly isShielded: boolean;
  #hasEnded = false;
  /** Calls made here, refused ones included. */
  calls = 0;
  /** Those of them that have not been told their outcome. */
  waiting = 0;
  /** Random numbers that were asked for here. */
  draws = 0;
  /** The time that author code had been told when the loop around it came to where it goes on; 0: there is none. */
  beganAt: EpochMs = 0;

  constructor(mode: RepeatedNames, parts: Partial<PlaceParts> = {}) {
    this.#mode = mode;
    this.path = parts.path ?? "";
    this.#outer = parts.outer ?? null;
    this.isOfStep = parts.isOfStep ?? false;
    this.isShielded = parts.isShielded ?? false;
  }

  /** A place inside this one, by its whole path. */
  inner(path: string, isShielded: boolean): Place {
    return new Place(this.#mode, { path, outer: this, isShielded });
  }

  /** The place of what undoes a step, by its key: it goes on when this one has ended. */
  ofStep(stepKey: string): Place {
    return new Place(this.#mode, { path: stepKey, isOfStep: true, isShielded: true });
  }

  /** It has ended, or one around it has. */
  get hasEnded(): boolean {
    return this.#hasEnded || this.#outer?.hasEnded === true;
  }

  /** It and each place around it. */
  *outward(): Generator<Place> {
    yield this;
    if (this.#outer !== null) yield* this.#outer.outward();
  }

  end(): void {
    this.#hasEnded = true;
  }

  /** The key of the last call of this name; null: there was none. */
  lastKey(name: string): string | null {
    const last = this.#last.get(name);
    return last === undefined ? null : this.#toKey(name, last);
  }

  /** The key of one more call of this name. @param isOfItsOwn in either mode it is a step of its own, beside those of the name */
  nextKey(name: string, isOfItsOwn: boolean = false): string {
    const next = (this.#last.get(name) ?? 0) + 1;
    this.#last.set(name, next);
    return isOfItsOwn && this.#mode === "cached"
      ? toPath(this.path, toStepKey(name, next + 1))
      : this.#toKey(name, next);
  }

  /** Whether the last call of this name was of a step that had been called before. */
  isRepeat(name: string): boolean {
    return this.#mode === "cached" && (this.#last.get(name) ?? 0) > 1;
  }

  #toKey(name: string, occurrence: number): string {
    return toPath(this.path, toStepKey(name, this.#mode === "cached" ? 1 : occurrence));
  }
}
