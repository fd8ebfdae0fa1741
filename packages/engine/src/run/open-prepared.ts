/** Opens calls that need something before their step is known: code that is loaded when a run first calls it, or an answer. */
import type { StepType } from "../core/model/status.ts";
import { Identified, identify } from "./identify.ts";
import { isAfterEnd, type OpenCall } from "./open-call.ts";
import { Outcome, unlinked } from "./outcome.ts";
import type { Place } from "./place.ts";
import type { Session } from "./session.ts";
import { refuseCall, warnRefused } from "./refuse-call.ts";

/** Where a call is made. */
export interface CallingAt {
  readonly session: Session;
  readonly place: Place;
  /** Opens its step. */
  readonly open: OpenCall;
}

/** A call whose key was found. */
export interface Called extends CallingAt {
  readonly identified: Identified;
  readonly outcome: Outcome;
}

/** What a call is, as far as it is known at once. */
interface CalledKind {
  /** null: the step has no row. */
  readonly type: StepType | null;
  readonly name: string;
  /** Its place among the calls is kept until it is open: who called first is decided first. @default false */
  readonly isReserved?: boolean;
}

/** What a call is. */
export interface PreparedKind extends CalledKind {
  /** Its outcome comes with its call: not awaited, it goes with the end of its place. @default false */
  readonly isTold?: boolean;
  /** @returns what tells author code, or opens the step */
  readonly prepare: (called: Called) => Promise<() => void>;
}

/** Finds the step of a call at once, and goes on with it. @returns what author code is told */
export function callAhead(
  { session, place, open }: CallingAt,
  { type, name, isReserved = false }: CalledKind,
  goOn: (called: Called) => void,
): Promise<unknown> {
  const outcome = new Outcome(place);
  if (!isAfterEnd(session, outcome, name))
    try {
      const found = identify(session, place, type, name);
      if (found !== null) {
        if (isReserved && type !== null) session.calls.reserve(found.stepKey, type);
        const identified = isReserved ? new Identified(found, isReserved) : found;
        goOn({ session, place, identified, outcome, open });
      }
    } catch (error) {
      refuseCall(session, { outcome, name, error });
    }
  return unlinked(outcome.promise);
}

/** Finds the step of a call at once, and prepares the call before it goes on. @returns what author code is told */
export const openPrepared = (at: CallingAt, kind: PreparedKind): Promise<unknown> =>
  callAhead(at, kind, (called) => {
    const { session, place, outcome } = called;
    if (kind.isTold) session.told.add(place, outcome.promise);
    session.scopes.prepare(toTell(called, kind.prepare));
  });

/** @returns what opens the step, or tells why not, and gives back a place that was kept for it and that it did not take */
async function toTell(called: Called, prepare: PreparedKind["prepare"]): Promise<() => void> {
  const { session, identified, outcome } = called;
  const tell = await prepare(called).catch((error: unknown) => () => {
    warnRefused(session, { outcome, name: identified.name, error });
    outcome.reject(error);
  });
  return () => {
    tell();
    session.calls.unreserve(identified.stepKey);
  };
}
