/** `step.loop`: runs iterations one after another, from the last stored position on. */
import { isLoopNext } from "../../authoring/loop.ts";
import type { LoopOptions } from "../../authoring/scopes.ts";
import type { WorkflowStep } from "../../authoring/step.ts";
import { decodeJson, encodeJson } from "../../core/codec.ts";
import { decideTrim, isDueAfter, type LoopPolicy } from "../../core/decide/loop.ts";
import { toStepWrite } from "../../core/model/step-record.ts";
import { isSettled } from "../../core/history/history.ts";
import { parseLoopPosition, toLoopResult } from "../../core/history/loop-position.ts";
import { parseLoopState } from "../../core/history/loop-state.ts";
import type { JsonText } from "../../core/model/records.ts";
import { isBelow } from "../../core/step-key.ts";
import { toIterationPart } from "../../core/iteration-key.ts";
import { keepCancelled } from "../deliver-end-request.ts";
import type { OpenScope } from "../open-scope.ts";
import { type Branching, type ScopeEnd, toEnded } from "./branching.ts";
import { parseCount, parseFunction, parseOptions, refuseScope } from "./parse.ts";
import { othersOf } from "../other-pending.ts";
import type { Session } from "../session-interface.ts";

type Options = LoopOptions<WorkflowStep, unknown, unknown>;

const OPTIONS: Readonly<Record<keyof Options, 1>> = {
  state: 1,
  run: 1,
  commitEvery: 1,
  keep: 1,
  commitInterval: 1,
  historyEvery: 1,
  historyKeep: 1,
};

const DEFAULT_COMMIT_EVERY = 20;

interface Loop {
  readonly branching: Branching;
  readonly run: (step: WorkflowStep, state: unknown, iteration: number) => unknown;
  readonly policy: LoopPolicy;
  /** The position in its row; null: there is no row. */
  written: JsonText | null;
  /** The iteration that `written` continues with. */
  iteration: number;
  /** The order of the last outcome that author code had been told when it called the loop. */
  readonly since: number;
}

interface Position {
  readonly iteration: number;
  readonly state: unknown;
}

export async function runLoop(
  branching: Branching,
  [given]: readonly unknown[],
): Promise<ScopeEnd> {
  const { scope } = branching;
  const options = parseOptions<Options>(scope, given, OPTIONS);
  const written = scope.record?.result ?? null;
  const from =
    written === null
      ? { iteration: 0, state: options.state, at: 0, since: scope.session.order.toldOrder }
      : { ...parseLoopPosition(written), state: parseLoopState(written) };
  branching.beganAt = Math.max(branching.beganAt, from.at);
  scope.session.known.clock.notBefore(from.at);
  const run = parseFunction(scope, options.run, "a function as run");
  const policy = toPolicy(scope, options);
  const { iteration, since } = from;
  const loop: Loop = { branching, run, policy, written, iteration, since };
  const told = await toEnded(() => iterate(loop, from));
  return { told, result: loop.written };
}

/** Runs iterations until one ends the loop. @throws what an iteration throws, and INVALID_SCOPE for what it returns */
async function iterate(loop: Loop, { iteration: first, state: from }: Position): Promise<unknown> {
  const { branching, policy } = loop;
  const { scope } = branching;
  let state = from;
  for (let done = first + 1; ; done += 1) {
    const next = await iterateOnce(loop, state, done - 1);
    // The loop lost a race meanwhile, so nobody is told.
    if (scope.place.hasEnded) return undefined;
    if (isLoopNext(next)) {
      if (next.kind === "break") return next.value;
      ({ state } = next);
    } else if (next !== undefined)
      refuseScope(scope, "Loop.continue, Loop.break or nothing from an iteration", next);
    if (isDueAfter(done, policy.commitEvery)) state = writeDown(loop, done, state);
    if (isDueAfter(done, policy.trimEvery)) trim(loop, done);
  }
}

/** Runs one iteration. One without steps takes a turn and counts as idle, so that a loop of nothing else is stopped. */
async function iterateOnce(
  { branching, run }: Loop,
  state: unknown,
  iteration: number,
): Promise<unknown> {
  const { session } = branching.scope;
  const before = branching.calls;
  const end = await branching.run(toIterationPart(iteration), (step) =>
    run(step, state, iteration),
  );
  if (!end.ok) throw end.error;
  if (branching.calls === before)
    await new Promise<void>((resolve) => {
      session.refuse(resolve);
    });
  return end.value;
}

/** @returns the state as a replay would read it, so that both continue with the same @throws {WorkflowError} NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE */
function writeDown(loop: Loop, done: number, state: unknown): unknown {
  const { session, stepKey, record: called } = loop.branching.scope;
  // A replay has to run all iterations again, because only they know their undo functions.
  if (hasUndoBelow(session, stepKey)) return state;
  // It has its end, and what it had written down by then: of code that wrote less often than this, unless it failed with the state.
  const isOver = called !== null && isSettled(called);
  if (isOver && called.status !== "errored") return state;
  const { maxStepResultBytes: maxBytes } = session.context.limits;
  const text = encodeJson(state, { maxBytes, what: `the state of loop "${stepKey}"` });
  if (isOver) return state;
  loop.iteration = done;
  const at = session.known.clock.nowAt(loop.branching);
  loop.written = toLoopResult({
    iteration: done,
    at,
    since: loop.since,
    after: session.order.toldOrder,
    state: text,
  });
  writeRow(loop);
  return decodeJson(text);
}

/** Whether a step in it has an undo. */
function hasUndoBelow({ undos }: Session, path: string): boolean {
  for (const stepKey of undos.byKey?.keys() ?? []) if (isBelow(stepKey, path)) return true;
  return false;
}

function writeRow({ branching, written }: Loop): void {
  const { session, stepKey, name } = branching.scope;
  const record = session.known.openRecordOf(stepKey);
  const identity = { newId: branching.rowId, stepKey, name, type: "loop" } as const;
  session.pending.add(toStepWrite(identity, record, { status: "running", result: written }));
}

/**
 * Removes rows of old iterations, but never those that a replay could still need, whatever `keep` says. The loop's row is written
 * with it, so that a late commit that only knows an earlier write does not bring a row back.
 */
function trim(loop: Loop, done: number): void {
  const { branching, policy, iteration } = loop;
  const { session, stepKey, record: called } = branching.scope;
  const keepFrom = Math.min(iteration, done - policy.keep);
  const { known } = session;
  const behind = decideTrim(known.stepKeys, stepKey, keepFrom);
  const trimmed = known.endRequested === null ? behind : keepCancelled(known, behind);
  for (const trimmedKey of trimmed)
    session.stepLimit.remove(known.recordOf(trimmedKey)?.type ?? "sleep");
  othersOf(session.pending).trim(trimmed);
  const isOpen = called === null || !isSettled(called);
  if (trimmed.length > 0 && isOpen && !session.pending.has(stepKey)) writeRow(loop);
}

/** Reads the options; our names win over Rivet's. @throws {WorkflowError} INVALID_SCOPE */
function toPolicy(scope: OpenScope, options: Options): LoopPolicy {
  const countOf = (name: keyof Options, min: number): number | undefined =>
    options[name] === undefined ? undefined : parseCount(scope, options[name], { name, min });
  const commitEvery =
    countOf("commitEvery", 1) ?? countOf("commitInterval", 1) ?? DEFAULT_COMMIT_EVERY;
  return {
    commitEvery,
    trimEvery: countOf("historyEvery", 1) ?? commitEvery,
    keep: countOf("keep", 0) ?? countOf("historyKeep", 0) ?? commitEvery,
  };
}
