/** What must hold of every run, however its runners died. */
import { expect } from "vitest";
import { leavesOf, type Program } from "./program.ts";
import type { Report } from "./simulate.ts";

/** Starts of one step that no commit knew of: those that came first after a claim. */
const UNBOOKED = 2;

export function checkReport(program: Program, report: Report, calm: Report): void {
  expect(report.status).toBe("complete");
  expect(report.output, "the output is that of an undisturbed run").toEqual(calm.output);
  expect(report.hasTask, "a task is left").toBe(false);
  expect(
    report.starts.filter((start) => start.isRepeat),
    "a completed step ran again",
  ).toEqual([]);
  for (const { path, node } of leavesOf(program)) {
    if (node.kind !== "do") continue;
    const starts = report.starts.filter((start) => start.stepKey === path);
    const step = report.steps.find((other) => other.stepKey === path);
    expect(starts.length, `effects of ${path}`).toBeGreaterThanOrEqual(node.fails + 1);
    expect(starts.length, `starts of ${path} are counted`).toBeLessThanOrEqual(
      (step?.attempts ?? 0) + (step?.lostAttempts ?? 0) + UNBOOKED,
    );
    const numbers = new Set(starts.map((start) => start.attempt)).size;
    expect(numbers, "attempt numbers differ").toBeGreaterThanOrEqual(starts.length - UNBOOKED);
  }
  for (const step of report.steps) expect(step.attempts).toBeLessThanOrEqual(step.maxAttempts);
  for (const steps of report.runs) checkOrder(steps);
  checkChildren(program, report);
}

function checkOrder(steps: Report["steps"]): void {
  const order = steps.flatMap(({ settledOrder }) => settledOrder ?? []).toSorted((a, b) => a - b);
  expect(order, "settled in one order without gaps").toEqual(
    order.map((_order, index) => index + 1),
  );
}

/** Each step has started one child, which is complete, and has its output. */
function checkChildren(program: Program, { children, steps }: Report): void {
  const paths = leavesOf(program).flatMap(({ path, node }) =>
    node.kind === "child" ? [path] : [],
  );
  expect(children.map(({ parent }) => parent?.stepKey ?? "").toSorted()).toEqual(paths.toSorted());
  for (const { instanceId, status, output, parent } of children) {
    expect(status).toBe("complete");
    const step = steps.find(({ stepKey }) => stepKey === parent?.stepKey);
    const result: unknown = JSON.parse(step?.result ?? "null");
    expect(result).toMatchObject({ instanceId, output: JSON.parse(output ?? "null") as unknown });
  }
}

/** Without deaths, effects happen as often as they must and no attempt is lost. */
export function checkCalm(program: Program, calm: Report): void {
  checkReport(program, calm, calm);
  for (const { path, node } of leavesOf(program)) {
    if (node.kind !== "do") continue;
    expect(calm.starts.filter((start) => start.stepKey === path)).toHaveLength(node.fails + 1);
  }
  for (const step of calm.steps) expect(step.lostAttempts).toBe(0);
}
