/** Opens a scope. The code that runs its branches is loaded when the first scope is called. */
import type { WorkflowStep } from "../authoring/step.ts";
import { late } from "../core/late.ts";
import type { HistoryStep } from "../core/model/records.ts";
import { loadOrThrow } from "./missing-code.ts";
import { type CallingAt, openPrepared } from "./open-prepared.ts";
import type { Outcome } from "./outcome.ts";
import type { Place } from "./place.ts";
import { refuseCall } from "./refuse-call.ts";
import type { CalledScope, ScopeKind } from "./session-scopes.ts";

/** The steps of a place, as author code calls them. */
export type StepsAt = (place: Place) => WorkflowStep;

/** Where a scope is called. */
interface ScopeAt extends CallingAt {
  readonly stepsAt: StepsAt;
  readonly isShielded: boolean;
}

/** A scope that was called. */
export interface OpenScope extends ScopeAt, CalledScope {
  readonly name: string;
  readonly record: HistoryStep | null;
  readonly outcome: Outcome;
  /** Refuses the call; see `refuseCall`. */
  readonly refuse: (error: unknown) => void;
  /** The arguments of the call besides the name. */
  readonly given: readonly unknown[];
}

const scopes = late(() => import("./scopes/run-scope.ts"));

export const openScope = (
  at: ScopeAt,
  kind: ScopeKind,
  name: string,
  given: readonly unknown[],
): Promise<unknown> =>
  openPrepared(at, {
    type: kind === "try" ? null : kind,
    name,
    prepare: async ({ identified: { name: parsed, stepKey, record }, outcome }) => {
      const refuse = (error: unknown): void =>
        refuseCall(at.session, { outcome, name: parsed, error });
      const scope = { ...at, kind, given, name: parsed, stepKey, record, outcome, refuse };
      at.session.scopes.open.set(stepKey, scope);
      const { runScope } = await loadOrThrow(scopes);
      return () => runScope(scope);
    },
  });
