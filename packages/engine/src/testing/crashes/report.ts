/** What `crashEverywhere` found, as data and as text. */

/** A problem of a workflow. */
export interface CrashFinding {
  /**
   * `repeatedEffect`: a body ran to its end more than once and never read its idempotency key. `divergence`: a replay with
   * the same outcomes did something else, or the instance ended differently than without a crash. `awaitOutsideStep`: the
   * workflow awaits something that is not a step. `driveFailed`: the scenario's `drive` threw, but does not without a crash.
   */
  readonly kind: "repeatedEffect" | "divergence" | "awaitOutsideStep" | "driveFailed";
  /** The step, without occurrences and iterations (`book/hotel/reserve`, `pay/undo`); null: it concerns the whole workflow. */
  readonly stepPath: string | null;
  readonly message: string;
  /** Where the process died when it first showed; null: it shows without a crash. */
  readonly crash: string | null;
  /** How many crashes showed it. */
  readonly crashCount: number;
}

/** What `crashEverywhere` played and found. */
export interface CrashReport {
  readonly workflowName: string;
  /** If there are none, the workflow survived every crash that was played. */
  readonly findings: readonly CrashFinding[];
  /** How many points there are at which the process may die, in the run without a crash. */
  readonly pointCount: number;
  /** How many crashes were played. */
  readonly crashCount: number;
  /**
   * Not every point was played: there are more than `maxCrashes`, or the workflow awaits something that is not a step even
   * without a crash.
   */
  readonly isCutShort: boolean;
  /** false: the instance ends differently from run to run even without a crash, so ends were not compared. */
  readonly isEndCompared: boolean;
  /** The whole report as text. */
  readonly text: string;
}

const HELP: Readonly<Record<CrashFinding["kind"], string>> = {
  repeatedEffect:
    "pass context.idempotencyKey to what the body calls, or name the step in `safeToRepeat`",
  divergence:
    "let only params, outcomes of steps, step.random and step.uuid decide; put clocks, chance and reads into step.do",
  awaitOutsideStep: "put what is awaited into step.do; the play went no further than this",
  driveFailed: "what the scenario expects does not hold after a crash",
};

/** How many findings the text shows. */
const MAX_SHOWN = 20;

/** Adds the text. */
export function toReport(seen: Omit<CrashReport, "text">): CrashReport {
  const { workflowName, findings, pointCount, crashCount, isCutShort, isEndCompared } = seen;
  const lines = [
    `${workflowName}: ${toCount(findings.length, "finding")} in ${toCount(crashCount, "crash")}, of ${toCount(pointCount, "point")} at which the process may die`,
    ...(isCutShort ? ["Cut short: not every point was played."] : []),
    ...(isEndCompared ? [] : ["Ends were not compared: they differ without a crash too."]),
    ...findings.slice(0, MAX_SHOWN).flatMap(toLines),
    ...(findings.length > MAX_SHOWN ? [`… and ${findings.length - MAX_SHOWN} more`] : []),
  ];
  return { ...seen, text: lines.join("\n") };
}

function toLines(
  { kind, message, crash, crashCount }: CrashFinding,
  index: number,
): readonly string[] {
  const others = crash === null ? crashCount : crashCount - 1;
  const more = others > 0 ? ` (and at ${toCount(others, "other point")})` : "";
  const where = `${crash ?? "nowhere, it shows without a crash"}${more}`;
  return ["", `${index + 1}. ${kind}: ${message}`, `   died: ${where}`, `   help: ${HELP[kind]}`];
}

const toCount = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? "" : noun.endsWith("h") ? "es" : "s"}`;

/**
 * Fails a test if its workflow does not survive every crash.
 *
 * @throws {RangeError} there are findings; its message is the report's text
 */
export function assertNoFindings(report: CrashReport): void {
  if (report.findings.length > 0) throw new RangeError(report.text);
}
