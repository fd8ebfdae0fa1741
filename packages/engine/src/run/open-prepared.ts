/** Opens calls that need something first: code that is loaded when a run first calls it, or an answer. */
import type { StepType } from "../core/model/status.ts";
import { Identified, identify } from "./identify.ts";
import { isAfterEnd, type OpenCall } from "./open-call.ts";
import { Outcome, unlinked } from "./outcome.ts";
import type { Place } from "./place.ts";
import type { Session } from "./session-interface.ts";
import { refuseCall, refuseNow } from "./refuse-call.ts";

/** Where a call is made. */
export interface CallingAt {
  readonly session: Session;
  readonly place: Place;
  /** Opens its step. */
  readonly open: OpenCall;
}

/** A call whose key is known. */
export interface Called extends CallingAt {
  readonly identified: Identified;
  readonly outcome: Outcome;
}

/** What is known at once about a kind of call. */
interface CalledKind {
  /** null: the step has no row. */
  readonly type: StepType | null;
  readonly name: string;
  /** Its place among the calls is reserved until it is open, so that earlier calls are decided first. @default false */
  readonly isReserved?: boolean;
}

/** A kind of call. */
export interface PreparedKind extends CalledKind {
  /** Its outcome comes with the call. If it is not awaited, it is settled when its place ends. @default false */
  readonly mayBeUnawaited?: boolean;
  /** @returns a function that tells author code, or opens the step */
  readonly prepare: (called: Called) => Promise<() => void>;
}

/** Finds the step of a call at once, and continues with it. @returns what author code gets */
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
        const identified = new Identified(found, isReserved);
        goOn({ session, place, identified, outcome, open });
      }
    } catch (error) {
      refuseCall(session, { outcome, name, error });
    }
  return unlinked(outcome.promise);
}

/** Finds the step of a call at once, and prepares the call before it continues. @returns what author code gets */
export const openPrepared = (at: CallingAt, kind: PreparedKind): Promise<unknown> =>
  callAhead(at, kind, (called) => {
    const { session, place, outcome } = called;
    if (kind.mayBeUnawaited) place.addUnawaited(outcome.promise);
    session.scopes.prepare(toTell(called, kind.prepare));
  });

/** @returns a function that opens the step or refuses it, and then drops a reserved place that the call did not take */
async function toTell(called: Called, prepare: PreparedKind["prepare"]): Promise<() => void> {
  const { session, identified } = called;
  const tell = await prepare(called).catch((error: unknown) => () => refuseNow(called, error));
  return () => {
    tell();
    session.calls.unreserve(identified.stepKey);
  };
}
