/** Plays a workflow again and again. Each time its process dies at another point, and another process continues. */
import type { WorkflowDefinition } from "../../authoring/define-workflow.ts";
import type { EventSchemas } from "../../authoring/events.ts";
import { type Expected, findFaults, Findings } from "./findings.ts";
import { openMemory, type OpenPlayStore, play, type Played, type Subject } from "./play.ts";
import { type CrashReport, toReport } from "./report.ts";
import { type CrashScenario, parseScenario } from "./scenario.ts";

/** Plays change globals, so they take turns. */
let lastPlays: Promise<unknown> = Promise.resolve();

/**
 * Runs a workflow once for each point at which its process may die, on a store in memory and in virtual time: before and
 * after each commit, and after each body before its outcome is committed. Each play has one crash. The process that takes its
 * place continues at once.
 *
 * @returns what is wrong with the workflow; `assertNoFindings` throws it
 * @throws what the scenario throws in a play without a crash
 * @throws {WorkflowError} UNKNOWN_OPTION. @throws {RangeError} `maxCrashes` is not an integer from 1
 */
export async function crashEverywhere<TInput, TOutput, TEvents extends EventSchemas>(
  workflow: WorkflowDefinition<TInput, TOutput, TEvents>,
  scenario: CrashScenario<TInput, TOutput, TEvents> = {},
): Promise<CrashReport> {
  return crashEverywhereOn(openMemory, workflow, scenario);
}

/** Like `crashEverywhere`, on other stores. */
export function crashEverywhereOn<TInput, TOutput, TEvents extends EventSchemas>(
  openStore: OpenPlayStore,
  workflow: WorkflowDefinition<TInput, TOutput, TEvents>,
  scenario: CrashScenario<TInput, TOutput, TEvents>,
): Promise<CrashReport> {
  const subject: Subject = { workflow, scenario: parseScenario(scenario), openStore };
  const plays = lastPlays.then(() => playAll(subject));
  lastPlays = plays.catch(() => undefined);
  return plays;
}

async function playAll(subject: Subject): Promise<CrashReport> {
  const { workflow, scenario } = subject;
  const { safeToRepeat, maxCrashes } = scenario;
  const findings = new Findings();
  const first = await play(subject);
  const report = (seen: Pick<CrashReport, "crashCount" | "isEndCompared">): CrashReport =>
    toReport({
      ...seen,
      workflowName: workflow.name,
      findings: findings.list,
      pointCount: first.pointCount,
      isCutShort: first.complaint !== null || seen.crashCount < first.pointCount,
    });
  const note = (played: Played, expected: Expected): void =>
    findings.add(findFaults(played, expected), played.crash);
  if (first.complaint === null && first.failure !== null) throw first.failure.error;
  note(first, { played: first, end: first.end, safeToRepeat });
  if (first.complaint !== null) return report({ crashCount: 0, isEndCompared: true });
  // Clock and chance also differ in a later process without a crash.
  const second = await play(subject, { firstLife: 1 });
  const end = second.end === first.end ? first.end : null;
  const expected = { played: first, end, safeToRepeat };
  note(second, expected);
  const crashCount = Math.min(first.pointCount, maxCrashes);
  for (let crash = 0; crash < crashCount; crash += 1) {
    const crashAt = Math.floor((crash * first.pointCount) / crashCount);
    note(await play(subject, { crashAt }), expected);
  }
  return report({ crashCount, isEndCompared: end !== null });
}
