/** What plays show that is wrong with a workflow. */
import type { Played } from "./play.ts";
import type { CrashFinding } from "./report.ts";
import { isNamed } from "./step-path.ts";
import { findParting } from "./trace.ts";

type Fault = Pick<CrashFinding, "kind" | "stepPath" | "message">;

/** What all plays are compared with. */
export interface Expected {
  readonly played: Played;
  /** The end that every play must have; null: it differs without a crash too. */
  readonly end: string | null;
  readonly safeToRepeat: readonly string[];
}

/** Faults found, each once, with where the process died when it first showed. */
export class Findings {
  readonly #found = new Map<
    string,
    { readonly fault: Fault; readonly crash: string | null; count: number }
  >();

  add(faults: readonly Fault[], crash: string | null): void {
    for (const fault of faults) {
      const key = `${fault.kind} ${fault.stepPath ?? fault.message}`;
      const found = this.#found.get(key);
      if (found === undefined)
        this.#found.set(key, { fault, crash, count: crash === null ? 0 : 1 });
      else if (crash !== null) found.count += 1;
    }
  }

  get list(): readonly CrashFinding[] {
    return [...this.#found.values()].map(({ fault, crash, count }) => ({
      ...fault,
      crash,
      crashCount: count,
    }));
  }
}

/** All that is wrong in one play. */
export function findFaults(played: Played, expected: Expected): readonly Fault[] {
  const { complaint } = played;
  const repeated = findRepeated(played, expected.safeToRepeat);
  // The play was left there: what it had come to says nothing.
  if (complaint !== null) return [...repeated, toAwaited(complaint)];
  const parted = findPartings(played, expected.played);
  if (parted.length > 0) return [...repeated, ...parted];
  return [...repeated, ...findOtherEnd(played, expected)];
}

function findRepeated({ bodies }: Played, safeToRepeat: readonly string[]): readonly Fault[] {
  return [...bodies.values()]
    .filter(
      ({ path, returns, hasReadKey }) => returns > 1 && !hasReadKey && !isNamed(path, safeToRepeat),
    )
    .map(({ path }) => ({
      kind: "repeatedEffect",
      stepPath: path,
      message: `the body of step "${path}" ran to its end more than once, and never read its idempotency key`,
    }));
}

function toAwaited({ event, fields }: NonNullable<Played["complaint"]>): Fault {
  const { stepKey, message } = fields;
  const text =
    typeof message === "string"
      ? message
      : `a step was called after the run had parked: the code awaits something that is not a step; put it into step.do`;
  return {
    kind: "awaitOutsideStep",
    stepPath: null,
    message: typeof stepKey === "string" ? `${text} (${event}, step "${stepKey}")` : text,
  };
}

/** Replays that did something else than the one before, or than the run without a crash. */
function findPartings(played: Played, expected: Played): readonly Fault[] {
  const first = expected.traces.at(-1);
  for (const [index, trace] of played.traces.entries()) {
    for (const before of [played.traces[index - 1], first]) {
      const parting = before === undefined ? null : findParting(before, trace);
      if (parting !== null) return [toDivergence(parting)];
    }
  }
  const line = played.log.find(({ event }) => event === "history.diverged");
  if (line === undefined) return [];
  const { stepKeys, stepKey, recorded, called } = line.fields;
  return [
    toDivergence(
      Array.isArray(stepKeys)
        ? `a replay did not call ${stepKeys.map((key) => `"${String(key)}"`).join(", ")}, which history has`
        : `a replay waits for an event "${String(called)}" in step "${String(stepKey)}", where history has "${String(recorded)}"`,
    ),
  ];
}

/** A step that may run once, and was lost, ends as it must: the run may then come to another end. */
function findOtherEnd({ failure, end, hasLostStep }: Played, expected: Expected): readonly Fault[] {
  if (hasLostStep) return [];
  if (failure !== null)
    return [toDivergence(`the scenario's drive failed: ${String(failure.error)}`)];
  if (expected.end === null || end === expected.end) return [];
  return [toDivergence(`the instance ended as ${end}; without a crash, as ${expected.end}`)];
}

const toDivergence = (message: string): Fault => ({ kind: "divergence", stepPath: null, message });
