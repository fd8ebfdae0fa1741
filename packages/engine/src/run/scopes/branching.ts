/** The branches of one scope: each a function at a place of its own. */
import type { EpochMs, JsonText } from "../../core/model/records.ts";
import { toPath } from "../../core/step-key.ts";
import type { WorkflowStep } from "../../authoring/step.ts";
import type { OpenScope } from "../open-scope.ts";
import type { Place } from "../place.ts";
import { cancelBelow } from "./leftovers.ts";

/** How a branch ended. */
export type Ended =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: unknown };

/** What a scope comes to. */
export interface ScopeEnd {
  readonly told: Ended;
  /** What its row keeps of it. A replay must come to the same. */
  readonly result: JsonText | null;
}

export class Branching {
  readonly scope: OpenScope;
  /** The id for the scope's row, if it has none yet. */
  readonly rowId: string;
  readonly #places = new Set<Place>();
  /** How many calls in ended branches were told an outcome, which takes a turn. */
  calls = 0;
  /** See `Place.beganAt`. */
  beganAt: EpochMs;

  constructor(scope: OpenScope) {
    this.scope = scope;
    this.beganAt = scope.place.beganAt;
    this.rowId = scope.session.context.host.newId();
  }

  /**
   * Runs a branch; it never rejects.
   *
   * @param part of the path after the scope's key; null: this is the scope's only branch, at the scope's own place
   */
  async run(part: string | null, branch: (step: WorkflowStep) => unknown): Promise<Ended> {
    const { place: outer, stepKey, stepsAt, isShielded } = this.scope;
    const place = outer.inner(part === null ? stepKey : toPath(stepKey, part), isShielded);
    place.beganAt = this.beganAt;
    this.#places.add(place);
    const ended = await toEnded(() => place.endOf(() => branch(stepsAt(place))));
    this.calls += place.calls - place.waiting;
    this.#end(place);
    return ended;
  }

  /** Ends all branches that have not ended. */
  end(): void {
    for (const place of this.#places) this.#end(place);
  }

  #end(place: Place): void {
    if (!this.#places.delete(place)) return;
    place.end();
    if (place.waiting === 0) return;
    const { session } = this.scope;
    cancelBelow(session, place.path);
  }
}

/** Runs a function and returns how it ended; it never rejects. */
export async function toEnded(run: () => Promise<unknown>): Promise<Ended> {
  try {
    return { ok: true, value: await run() };
  } catch (error) {
    return { ok: false, error };
  }
}
