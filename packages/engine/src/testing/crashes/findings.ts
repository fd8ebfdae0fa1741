/** Faults of a workflow that its plays show. */
import type { LogLine } from "../harness.ts";
import type { Played } from "./play.ts";
import type { CrashFinding } from "./report.ts";
import { isNamed, toStepPath } from "./step-path.ts";
import { findParting, findOutcomeChange, toErrorText, type OutcomeChange } from "./trace.ts";

interface Fault extends Pick<CrashFinding, "kind" | "stepPath" | "message"> {
  /** Tells it from others of its kind; messages may contain values that differ each time. */
  readonly key: string;
}

/** The results that all plays are compared with. */
export interface Expected {
  readonly played: Played;
  /** The end that every play must have; null: the end differs even without a crash. */
  readonly end: string | null;
  readonly safeToRepeat: readonly string[];
}

/** The faults found, each once, with the point where the process died when it first showed. */
export class Findings {
  readonly #found = new Map<string, CrashFinding>();

  add(faults: readonly Fault[], crash: string | null): void {
    const count = crash === null ? 0 : 1;
    for (const { key: name, ...fault } of faults) {
      const key = `${fault.kind} ${name}`;
      const found = this.#found.get(key) ?? { ...fault, crash, crashCount: 0 };
      this.#found.set(key, { ...found, crashCount: found.crashCount + count });
    }
  }

  get list(): readonly CrashFinding[] {
    return [...this.#found.values()];
  }
}

/** All faults in one play. */
export function findFaults(played: Played, expected: Expected): readonly Fault[] {
  const { complaint, failure } = played;
  const repeated = findRepeated(played, expected.safeToRepeat);
  // The play stopped there, so its state says nothing.
  if (complaint !== null) return [...repeated, toAwaited(complaint)];
  const parting = findPartingOf(played, expected.played) ?? findUncalled(played.log);
  if (parting !== null) return [...repeated, parting];
  if (failure === null) return [...repeated, ...findOtherEnd(played, expected)];
  const message = `the scenario's drive threw ${toErrorText(failure.error)}`;
  return [...repeated, { kind: "driveFailed", key: "", stepPath: null, message }];
}

/** A fault of a step shows once per play, however many of its occurrences and iterations have it. */
function findRepeated({ bodies }: Played, safeToRepeat: readonly string[]): readonly Fault[] {
  const repeated = [...bodies.values()].filter(
    ({ path, returns, hasReadKey }) => returns > 1 && !hasReadKey && !isNamed(path, safeToRepeat),
  );
  return [...new Set(repeated.map(({ path }) => path))].map((path) => ({
    kind: "repeatedEffect",
    key: path,
    stepPath: path,
    message: `the body of step "${path}" ran to its end more than once, and never read its idempotency key`,
  }));
}

function toAwaited({ fields: { stepKey, message } }: LogLine): Fault {
  const text =
    typeof message === "string"
      ? message
      : `step "${String(stepKey)}" was called when the run had parked: before it the workflow awaits something that is not a step`;
  return { kind: "awaitOutsideStep", key: text, stepPath: null, message: text };
}

/** A replay that behaved differently from the one before it, or from the last one without a crash. */
function findPartingOf(played: Played, expected: Played): Fault | null {
  for (const [index, trace] of played.traces.entries()) {
    for (const before of [played.traces[index - 1], expected.traces.at(-1)]) {
      const parting = before === undefined ? null : findParting(before, trace);
      if (parting === null) continue;
      const stepPath = parting.place === "" ? null : toStepPath(parting.place);
      return { ...toDivergence(`parting ${stepPath}`, parting.message), stepPath };
    }
  }
  return null;
}

/** Divergences that the engine itself has logged. */
function findUncalled(log: readonly LogLine[]): Fault | null {
  const line = log.find(({ event }) => event === "history.diverged");
  if (line === undefined) return null;
  const { stepKeys, stepKey, recorded, called } = line.fields;
  if (Array.isArray(stepKeys)) {
    const names = stepKeys.map((key) => `"${String(key)}"`).join(", ");
    return toDivergence(names, `a replay did not call ${names}, which history has`);
  }
  const message = `a replay waits for an event "${String(called)}" in step "${String(stepKey)}", where history has "${String(recorded)}"`;
  return toDivergence(`wait ${String(stepKey)}`, message);
}

/**
 * An end that differs from the one without a crash. Two differences are no faults: a step that may run only once and was lost ends as
 * it must, and of steps that run at once, another one may end first.
 */
function findOtherEnd({ end, hasLostStep, traces }: Played, expected: Expected): readonly Fault[] {
  if (expected.end === null || end === expected.end || hasLostStep) return [];
  const [before, after] = [expected.played.traces.at(-1), traces.at(-1)];
  const change: OutcomeChange =
    before && after ? findOutcomeChange(before, after) : { kind: "same" };
  if (change.kind === "order") return [];
  const ends = `the instance ended as ${end}; without a crash, as ${expected.end}`;
  if (change.kind === "same") return [toDivergence("end", ends)];
  const { call, before: gave, after: gives } = change;
  return [toDivergence(`end ${call}`, `${call} ${gives}; without a crash it ${gave}: ${ends}`)];
}

const toDivergence = (key: string, message: string): Fault => ({
  kind: "divergence",
  key,
  stepPath: null,
  message,
});
