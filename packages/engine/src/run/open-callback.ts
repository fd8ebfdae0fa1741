/** Opens a call of `step.callback`: what holds before its code, which is loaded when the first one is called. */
import type { Callback, CallbackOptions } from "../authoring/step.ts";
import type { prepareCallback as PrepareCallback } from "./callback-step.ts";
import { type Identified, identify } from "./identify.ts";
import { type OpenCall, warnAfterEnd } from "./open-call.ts";
import { Outcome, unlinked } from "./outcome.ts";
import type { Place } from "./place.ts";
import type { Session } from "./session.ts";

/** A callback that was called. */
export interface CalledCallback {
  readonly session: Session;
  readonly place: Place;
  readonly identified: Identified;
  readonly options: CallbackOptions;
  readonly outcome: Outcome;
  /** Opens its wait. */
  readonly open: OpenCall;
}

type CallCallback = (
  place: Place,
  name: string,
  options?: CallbackOptions,
) => Promise<Callback<unknown>>;

export const createCallCallback =
  (session: Session, open: OpenCall): CallCallback =>
  (place, name, options = {}) => {
    const outcome = new Outcome(place);
    if (session.isOver) warnAfterEnd(session, name);
    else
      try {
        const identified = identify(session, place, "waitForEvent", name);
        // It brings the run nowhere by itself: a loop of nothing else is stopped.
        session.refusals.noteIdle();
        if (identified !== null) {
          const called = { session, place, identified, options, outcome, open };
          session.scopes.prepare(outcome, prepare(called));
        }
      } catch (error) {
        session.refuse(() => outcome.reject(error));
      }
    return unlinked(outcome.promise) as Promise<Callback<unknown>>;
  };

/** The code of callbacks, once a run of this process has called one: what is there is not asked for again, which takes turns. */
let prepareCallback: typeof PrepareCallback | null = null;

/** @returns what tells author code */
async function prepare(called: CalledCallback): Promise<() => void> {
  prepareCallback ??= (await import("./callback-step.ts")).prepareCallback;
  return prepareCallback(called);
}
