/** Everything that must hold of a finished simulation; ORACLE.md says it in words. */
import type { Program } from "../program.ts";
import type { Report, RunReport } from "../report.ts";
import type { Violation } from "../world/facts.ts";
import { checkAttempts } from "./attempts.ts";
import { checkCallbacks } from "./callbacks.ts";
import type { Case, Fail } from "./case.ts";
import { checkChildren } from "./children.ts";
import { checkDeadline } from "./deadlines.ts";
import { checkHistory } from "./history.ts";
import { checkInstants } from "./instants.ts";
import { checkKeys } from "./keys.ts";
import { checkRows } from "./loops.ts";
import { checkReplies } from "./replies.ts";
import { checkRunRetries } from "./run-retries.ts";
import { checkStreams } from "./streams.ts";
import { checkTakeovers } from "./takeovers.ts";
import { checkTopics } from "./topics.ts";
import { checkTraces } from "./traces.ts";
import { checkWaits } from "./waits.ts";

export function checkReport(report: Report): readonly Violation[] {
  const violations: Violation[] = [...report.books.violations];
  const fail: Fail = (rule, detail) => void violations.push({ rule, detail });
  checkEnd(report, fail);
  checkKeys(report, fail);
  checkStreams(report, fail);
  for (const run of report.runs) {
    const ofRun: Fail = (rule, detail) => fail(rule, `${run.runId} ${detail}`);
    const test: Case = { report, run, program: programOf(report, run), fail: ofRun };
    const model = checkHistory(test);
    checkRows(test, model);
    checkTraces(test, model);
    checkInstants(test);
    checkWaits(test, model);
    checkCallbacks(test, model);
    checkChildren(test, model);
    checkTopics(test, model);
    checkReplies(test, model);
    checkAttempts(test, model);
    checkDeadline(test);
    checkRunRetries(test, model);
    checkTakeovers(test);
    checkDiverged(test);
  }
  return violations;
}

function checkEnd(report: Report, fail: Fail): void {
  if (!report.isOver) {
    const open = report.instances.filter(
      ({ status }) => !["complete", "errored", "terminated"].includes(status),
    );
    const named = open.map(
      ({ workflowName, instanceId, status }) => `${workflowName}/${instanceId} ${status}`,
    );
    fail("progress", `not over in time: ${named.join(", ") || "an instance was never created"}`);
  } else if (report.hasTask) fail("leases", "every instance has ended and a task is left");
}

/** Code that did not change disagrees with no history. */
function checkDiverged({ report, run, program, fail }: Case): void {
  const keys = [...(report.books.diverged.get(run.runId) ?? [])];
  if (program !== null && keys.length > 0) fail("diverged", `was said to: ${keys.join(", ")}`);
}

function programOf(report: Report, run: RunReport): Program | null {
  const plan = report.scenario.workflows.find(({ name }) => name === run.workflow);
  const { executions } = report.world;
  const versions = new Set<number>();
  // What a fork begins with was called by the code of the run that it is of.
  for (let id: string | undefined = run.runId; id !== undefined; id = report.books.copied.get(id))
    for (const { lease, version } of executions) if (lease.runId === id) versions.add(version);
  if (plan === undefined || versions.size > 1 || report.books.disordered.has(run.runId))
    return null;
  return plan.versions[[...versions][0] ?? 0] ?? null;
}
