/** Opens a scope: what holds before its code, which is loaded when the first one is called, runs its branches. */
import type { WorkflowStep } from "../authoring/step.ts";
import { isSettled } from "../core/history/history.ts";
import type { HistoryStep } from "../core/model/records.ts";
import { identify } from "./identify.ts";
import { isAfterEnd } from "./open-call.ts";
import { Outcome, unlinked } from "./outcome.ts";
import type { Place } from "./place.ts";
import { refuseCall } from "./refuse-call.ts";
import type { Session } from "./session.ts";

/** The steps of a place, as author code calls them. */
export type StepsAt = (place: Place) => WorkflowStep;

/** Kinds of scopes. `try` has no row: what came of it is in those of its steps. */
export type ScopeKind = "join" | "race" | "map" | "loop" | "try";

/** A scope that was called. */
export interface OpenScope {
  readonly session: Session;
  readonly stepsAt: StepsAt;
  readonly kind: ScopeKind;
  readonly outer: Place;
  readonly isShielded: boolean;
  readonly name: string;
  readonly stepKey: string;
  readonly record: HistoryStep | null;
  readonly outcome: Outcome;
  /** What author code gives the call beside the name. */
  readonly given: readonly unknown[];
}

export type CallScope = (
  outer: Place,
  kind: ScopeKind,
  name: string,
  given: readonly unknown[],
) => Promise<unknown>;

export const createCallScope =
  (session: Session, stepsAt: StepsAt, isShielded: boolean): CallScope =>
  (outer, kind, name, given) => {
    const outcome = new Outcome(outer);
    if (!isAfterEnd(session, outcome, name))
      try {
        const type = kind === "try" ? null : kind;
        const identified = identify(session, outer, type, name);
        if (identified !== null && outer.isRepeat(identified.name)) session.refusals.noteIdle();
        if (identified !== null) passOverLost(session, identified.record);
        if (identified !== null && isWithinLimit(session, kind, identified.record)) {
          const { name: parsed, stepKey, record } = identified;
          const step = { name: parsed, stepKey, record };
          session.scopes.open({
            session,
            stepsAt,
            kind,
            outer,
            isShielded,
            outcome,
            given,
            ...step,
          });
        }
      } catch (error) {
        refuseCall(session, { outcome, name, error });
      }
    return unlinked(outcome.promise);
  };

/** What was closed with its branch has nothing to tell: a replay has come to it with the call. */
function passOverLost({ order }: Session, record: HistoryStep | null): void {
  if (record !== null && isSettled(record) && record.status === "cancelled")
    order.passOver(record.settledOrder);
}

const isWithinLimit = (session: Session, kind: ScopeKind, record: HistoryStep | null): boolean =>
  kind === "try" || record !== null || session.stepLimit.add(kind);
