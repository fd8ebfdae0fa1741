/** Prints a simulation for people. */
import type { Program } from "./program.ts";
import type { Report } from "./report.ts";
import { START_AT } from "./scheduler.ts";
import type { LeaseRecord, Violation } from "./world/facts.ts";

/** A report as text: what was played, what happened, and what was wrong with it. */
export function showReport(report: Report, violations: readonly Violation[]): string {
  const { scenario, runs, instances } = report;
  const lines = [
    `seed ${scenario.seed}: ${report.callCount} calls, ${report.eventCount} events, ${(report.endedAt - START_AT) / 1000} s`,
    ...scenario.workflows.flatMap(({ name, versions }) =>
      versions.map((program, index) => `${name} ${index + 1}:\n${showProgram(program, "  ")}`),
    ),
    ...scenario.runners.map((runner, index) => `runner ${index}: ${JSON.stringify(runner)}`),
    ...scenario.instances.map((instance) => `instance: ${JSON.stringify(instance)}`),
    ...scenario.actions.map((action) => `action: ${JSON.stringify(action)}`),
    ...scenario.faults.map((fault) => `fault: ${JSON.stringify(fault)}`),
    ...instances.map(
      ({ workflowName, instanceId, runNumber, status, output, error }) =>
        `${workflowName}/${instanceId} run ${runNumber}: ${status} ${output ?? ""} ${error === null ? "" : JSON.stringify(error)}`,
    ),
    ...runs.flatMap((run) => showRun(report, run)),
    ...violations.map(({ rule, detail }) => `VIOLATION of ${rule}: ${detail}`),
  ];
  return lines.join("\n");
}

function showRun({ books, world }: Report, run: Report["runs"][number]): string[] {
  return [
    run.runId,
    ...run.steps
      .toSorted((a, b) => (a.settledOrder ?? 999) - (b.settledOrder ?? 999))
      .map(
        (step) =>
          `  ${step.settledOrder ?? "-"} ${step.stepKey} ${step.status} ${step.attempts}/${step.maxAttempts} lost ${step.lostAttempts} created ${at(step.createdAt)} updated ${at(step.updatedAt)} wake ${at(step.wakeAt)} ${step.error === null ? "" : step.error.message}`,
      ),
    ...run.events.map(
      ({ type, sequence, createdAt, consumedByStepKey }) =>
        `  event ${sequence} ${type} at ${at(createdAt)} to ${consumedByStepKey ?? "nobody"}`,
    ),
    ...books.leases
      .filter(({ runId }) => runId === run.runId)
      .flatMap((lease) => showLease(world, lease)),
  ];
}

function showLease(world: Report["world"], lease: LeaseRecord): string[] {
  const { token, runner, life, takenAt, commitCount, end, endedAt } = lease;
  const marks = `${lease.isRevoked ? ", revoked" : ""}${lease.isDelivered ? "" : ", not delivered"}`;
  const starts = world.starts.filter((start) => start.lease === lease);
  const executions = world.executions.filter((execution) => execution.lease === lease);
  return [
    `  lease ${token} of runner ${runner}.${life} at ${at(takenAt)}, ${commitCount} commits, ${end} at ${at(endedAt)}${marks}; named ${[...lease.named.keys()].join(" ")}`,
    ...starts.map(
      (start) =>
        `    body ${start.key} attempt ${start.attempt} at ${at(start.at)} ended ${at(start.endedAt)}`,
    ),
    ...executions.map(
      ({ trace, version }) => `    saw (version ${version + 1}) ${trace.join(", ")}`,
    ),
  ];
}

const at = (instant: number | null): string =>
  instant === null || instant === Infinity ? "-" : String(instant - START_AT);

/** A program, a line for each node. */
export function showProgram(program: Program, indent: string): string {
  return program
    .map((node) => {
      const { kind, name, ...rest } = node;
      const hasNodes = (key: string): boolean => ["branches", "nodes", "last"].includes(key);
      const plain = Object.entries(rest).filter(([key]) => !hasNodes(key));
      const inside = Object.entries(rest).flatMap(([key, value]) =>
        !hasNodes(key)
          ? []
          : key === "branches"
            ? (value as Program[]).map(
                (branch) => `${indent}  -\n${showProgram(branch, `${indent}    `)}`,
              )
            : [showProgram(value as Program, `${indent}  `)],
      );
      return [
        `${indent}${kind} ${name} ${JSON.stringify(Object.fromEntries(plain))}`,
        ...inside,
      ].join("\n");
    })
    .join("\n");
}
