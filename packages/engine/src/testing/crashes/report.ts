/** What `crashEverywhere` found, as data and as text. */

/** One thing that is wrong with a workflow. */
export interface CrashFinding {
  /**
   * `repeatedEffect`: a body ran to its end more than once and never read its idempotency key. `divergence`: a replay that was told the
   * same did something else, or the instance came to another end than without a crash. `awaitOutsideStep`: the workflow
   * awaits what is no step. `driveFailed`: what drives the scenario threw, as it does not without a crash.
   */
  readonly kind: "repeatedEffect" | "divergence" | "awaitOutsideStep" | "driveFailed";
  /** The step, without occurrences and iterations (`book/hotel/reserve`, `pay/undo`); null: it is about the whole workflow. */
  readonly stepPath: string | null;
  readonly message: string;
  /** Where the process died when it first showed; null: it took no crash. */
  readonly crash: string | null;
  /** Crashes that showed it. */
  readonly crashCount: number;
}

/** What `crashEverywhere` played and found. */
export interface CrashReport {
  readonly workflowName: string;
  /** Without one the workflow came through every crash that was played. */
  readonly findings: readonly CrashFinding[];
  /** Points at which the process may die, as the run without a crash came by them. */
  readonly pointCount: number;
  /** Crashes that were played. */
  readonly crashCount: number;
  /** Not every point was played: there are more than `maxCrashes`, or the workflow awaits what is no step without a crash. */
  readonly isCutShort: boolean;
  /** false: what the instance comes to differs from run to run without a crash, and was not compared. */
  readonly isEndCompared: boolean;
  /** All of it for people. */
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
 * Fails a test whose workflow does not come through every crash.
 *
 * @throws {RangeError} there are findings; its message is the report's text
 */
export function assertNoFindings(report: CrashReport): void {
  if (report.findings.length > 0) throw new RangeError(report.text);
}
