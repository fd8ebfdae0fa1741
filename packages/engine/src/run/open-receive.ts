/** Opens a call of `step.receive`: what holds before its code, which is loaded when the first one is called. */
import type { ReceiveOptions } from "../authoring/step.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { type Identified, identify } from "./identify.ts";
import { type OpenCall, warnAfterEnd } from "./open-call.ts";
import { Outcome, unlinked } from "./outcome.ts";
import type { Place } from "./place.ts";
import type { Session } from "./session.ts";

/** A `receive` that was called. */
export interface CalledReceive {
  readonly session: Session;
  readonly workflow: RegisteredWorkflow;
  readonly place: Place;
  readonly identified: Identified;
  readonly options: ReceiveOptions;
  readonly outcome: Outcome;
  /** Opens its wait. */
  readonly open: OpenCall;
}

type CallReceive = (place: Place, name: string, options: ReceiveOptions) => Promise<unknown>;

export const createCallReceive =
  (session: Session, workflow: RegisteredWorkflow, open: OpenCall): CallReceive =>
  (place, name, options) => {
    const outcome = new Outcome(place);
    if (session.isOver) warnAfterEnd(session, name);
    else
      try {
        const found = identify(session, place, "receive", name);
        if (found !== null) {
          const identified = { ...found, isReserved: true };
          session.calls.reserve(found.stepKey, "receive");
          const called = { session, workflow, place, identified, options, outcome, open };
          session.scopes.prepare(outcome, prepare(called));
        }
      } catch (error) {
        session.refuse(() => outcome.reject(error));
      }
    return unlinked(outcome.promise);
  };

/** @returns what opens it */
const prepare = async (called: CalledReceive): Promise<() => void> =>
  (await import("./receive-step.ts")).prepareReceive(called);
