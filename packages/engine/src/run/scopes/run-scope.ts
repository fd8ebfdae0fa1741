/** @module Runs a scope from its call to its end. Loaded when a run first calls one. */
import { WorkflowError } from "../../core/errors.ts";
import { isSettled } from "../../core/history/history.ts";
import type { StepWrite } from "../../core/model/change.ts";
import type { HistoryStep } from "../../core/model/records.ts";
import type { StepType } from "../../core/model/status.ts";
import { toStepWrite } from "../../core/model/step-record.ts";
import type { OpenScope } from "../open-scope.ts";
import { noteFailure } from "../failures.ts";
import type { KnownRun } from "../known-run.ts";
import { recordError } from "../step-error.ts";
import { Branching, type ScopeEnd } from "./branching.ts";
import { runJoin } from "./join.ts";
import { runLoop } from "./loop.ts";
import { runMap } from "./map.ts";
import { runRace } from "./race.ts";
import { runTry } from "./try.ts";
import type { Session } from "../session-interface.ts";
import type { ScopeKind } from "../session-scopes.ts";

/** Runs its branches. What it throws refuses the call. */
type RunKind = (branching: Branching, given: readonly unknown[]) => Promise<ScopeEnd>;

const KINDS: Readonly<Record<ScopeKind, RunKind>> = {
  join: runJoin,
  race: runRace,
  map: runMap,
  loop: runLoop,
  try: runTry,
};

/** Never throws, and leaves no promise that rejects. */
export function runScope(scope: OpenScope): void {
  const { session, place: outer, name } = scope;
  if (outer.isRepeat(name)) session.refusals.noteIdle();
  // A scope that nobody awaits does not begin after the end of the run.
  if (outer.hasEnded || session.isAuthorDone) return;
  passOverLost(scope);
  if (!isWithinLimit(scope)) return;
  const branching = new Branching(scope);
  const end = async (): Promise<void> => {
    const ended = await KINDS[scope.kind](branching, scope.given);
    branching.end();
    const isOver = outer.hasEnded || session.isAuthorDone;
    if (!isOver) settle(scope, branching, ended);
  };
  end().catch((error: unknown) => {
    branching.end();
    session.scopes.open.delete(scope.stepKey);
    scope.refuse(error);
  });
}

/** Passes over a scope that was closed with its branch: it has no outcome to tell. */
function passOverLost({ session, record }: OpenScope): void {
  if (record !== null && isSettled(record) && record.status === "cancelled")
    session.order.passOver(record.settledOrder);
}

const isWithinLimit = ({ session, kind, record }: OpenScope): boolean =>
  kind === "try" || record !== null || session.stepLimit.add(kind);

function settle(scope: OpenScope, branching: Branching, { told, result }: ScopeEnd): void {
  const { session, stepKey, kind, record, outcome } = scope;
  // The replay went further than the run had come. The scope stays open, and is closed as waits are.
  if (kind !== "try" && isLeft(record, session.known)) return;
  session.scopes.open.delete(stepKey);
  const tell = (): void => {
    if (told.ok) return outcome.resolve(told.value);
    if (kind !== "try") noteFailure(session, told.error, stepKey);
    outcome.reject(told.error);
  };
  // A scope without a row is told at once, unless nothing in it took a turn: a loop of such scopes must not block timers.
  if (kind === "try") return branching.calls === 0 ? session.refuse(tell) : tell();
  if (record !== null && isSettled(record) && session.known.isUntold(record)) return;
  const status = told.ok ? "completed" : "errored";
  if (
    record !== null &&
    isSettled(record) &&
    !(record.status === status && record.result === result)
  )
    return session.fail(otherwise(stepKey, kind));
  const error = told.ok ? null : recordError(told.error, session.context.redactError);
  const identity = { newId: branching.rowId, stepKey, name: scope.name, type: kind };
  const open = session.known.openRecordOf(stepKey);
  settleRow(session, toStepWrite(identity, open, { status, result, error }), tell);
}

/** Settles the scope's row. It is part of the boundary that is due anyway, and author code is told in its turn. */
function settleRow(session: Session, step: StepWrite, tell: () => void): void {
  const { known, order, pending, refusals } = session;
  const record = known.recordOf(step.stepKey);
  const isRecorded = record !== null && isSettled(record);
  const settlement = isRecorded ? record : order.allocate();
  if (!isRecorded) {
    pending.addSettled({ ...step, ...settlement });
    // Only its steps are progress. A loop may consist of nothing but scopes without steps.
    refusals.noteIdle();
  }
  order.add(settlement, tell);
  session.authorActed();
}

const otherwise = (stepKey: string, type: StepType): WorkflowError =>
  new WorkflowError(
    "HISTORY_DIVERGED",
    `${type} "${stepKey}" ended differently from what history has of it`,
    { stepKey, type },
  );

/** Whether a run that is being rolled back has left the step without an outcome. In its replay, only undo steps settle. */
const isLeft = (
  record: HistoryStep | null,
  { endRequested }: Pick<KnownRun, "endRequested">,
): boolean => endRequested === "rollback" && (record === null || !isSettled(record));
