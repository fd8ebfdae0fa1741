/**
 * A place in a run where steps are called: the run itself, a branch of a scope, or an iteration of a loop. It ends when its
 * function does. Calls that were not awaited get no outcome after that.
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

/** An open call whose outcome comes with the call, such as `progress`. */
interface UnawaitedCall {
  readonly isOver: Promise<void>;
  readonly end: () => void;
}

export class Place {
  /** The beginning of its steps' keys; empty: the run itself. */
  readonly path: string;
  readonly #outer: Place | null;
  readonly #mode: RepeatedNames;
  readonly #last = new Map<string, number>();
  /** The place belongs to a step that has a key already, so the length is not checked again. */
  readonly isOfStep: boolean;
  /** Its steps continue even if the instance is cancelled. */
  readonly isShielded: boolean;
  #hasEnded = false;
  /** How many calls were made here, refused ones included. */
  calls = 0;
  /** How many of them have no outcome yet. */
  waiting = 0;
  /** How many random numbers were drawn here. */
  draws = 0;
  /** Those that were made here and inside; null: there was none. */
  #unawaited: Set<UnawaitedCall> | null = null;
  /** What `now` was when the surrounding loop stored the position that it continues from; 0: there is none. */
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

  /** The place of a step's undo, by the step's key. It stays open when this place has ended. */
  ofStep(stepKey: string): Place {
    return new Place(this.#mode, { path: stepKey, isOfStep: true, isShielded: true });
  }

  /** This place has ended, or one around it has. */
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
    for (const call of this.#unawaited ?? []) call.end();
  }

  /** Adds a call whose outcome comes with the call. If nobody awaits it, the place ends only when it is settled. */
  addUnawaited(outcome: Promise<unknown>): void {
    const places = [...this.outward()];
    let end = (): void => {};
    const isOver = new Promise<void>((resolve) => {
      end = () => {
        for (const place of places) place.#unawaited?.delete(call);
        resolve();
      };
    });
    const call: UnawaitedCall = { isOver, end };
    for (const place of places) (place.#unawaited ??= new Set()).add(call);
    void outcome.then(end, end);
  }

  /** Runs the function of this place, and returns its result when the calls of `addUnawaited` are settled. */
  async endOf(run: () => unknown): Promise<unknown> {
    try {
      return await run();
    } finally {
      const told = [...(this.#unawaited ?? [])];
      // Most have none, and end in the turn that they return in.
      for (const { isOver } of told) await isOver;
    }
  }

  /** How often this name was called. */
  callsOf(name: string): number {
    return this.#last.get(name) ?? 0;
  }

  /**
   * The key of one more call with this name.
   *
   * @param calls how often it was called before
   * @param isOfItsOwn it is a separate step in either mode of `repeatedNames`
   */
  nextKey(name: string, calls: number, isOfItsOwn: boolean): string {
    this.#last.set(name, calls + 1);
    return isOfItsOwn && this.#mode === "cached"
      ? toPath(this.path, toStepKey(name, calls + 2))
      : this.keyOf(name, calls + 1);
  }

  /** Whether the last call with this name was a step that had been called before. */
  isRepeat(name: string): boolean {
    return this.#mode === "cached" && this.callsOf(name) > 1;
  }

  /** The key of the nth call with this name. */
  keyOf(name: string, occurrence: number): string {
    return toPath(this.path, toStepKey(name, this.#mode === "cached" ? 1 : occurrence));
  }
}
