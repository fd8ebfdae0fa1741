/** Processes with their leases, and open callbacks, for people. */
import type { Callbacks, Leases } from "./client.ts";
import { type Column, toTable } from "./table.ts";
import { toTime } from "./to-time.ts";

const kept = (title: string): Column => ({ title, mayBeCut: false });
const cut = (title: string): Column => ({ title, mayBeCut: true });
const RUNNERS = [cut("PROCESS"), kept("RUNS"), kept("OVERDUE")];
const LEASES = [kept("WORKFLOW"), kept("ID"), cut("PROCESS"), kept("UNTIL"), kept("ABOUT")];
const CALLBACKS = [kept("WORKFLOW"), kept("ID"), cut("STEP"), kept("SINCE"), kept("UNTIL")];

/** Which process holds which runs. */
export function renderRunners(answer: Leases, width: number | null): string {
  const { runners, leases, isCapped } = answer;
  if (leases.length === 0) return "No process holds a run.\n";
  const processes = runners.map(({ runner, leaseCount, overdueCount }) => [
    runner ?? "not known",
    String(leaseCount),
    overdueCount === 0 ? "" : String(overdueCount),
  ]);
  const rows = leases.map(({ workflowName, id, runner, until, isOverdue, lostCount }) => [
    workflowName,
    id,
    runner ?? "not known",
    toTime(until),
    [isOverdue ? "overdue" : "", lostCount === 0 ? "" : `${lostCount} lost before`]
      .filter((text) => text !== "")
      .join(", "),
  ]);
  const more = isCapped ? "There are more, which end later.\n" : "";
  return `${toTable(RUNNERS, processes, width)}\n${toTable(LEASES, rows, width)}${more}`;
}

/** A page of callbacks. */
export function renderCallbacks(answer: Callbacks, width: number | null): string {
  const { callbacks, cursor, isIncomplete } = answer;
  const rows = callbacks.map(({ workflowName, id, stepKey, createdAt, wakeAt }) => [
    workflowName,
    id,
    stepKey,
    toTime(createdAt),
    wakeAt === null ? "" : toTime(wakeAt),
  ]);
  const none = isIncomplete ? "None among those looked at so far.\n" : "No callback is open.\n";
  const more = cursor === undefined ? "" : `There is more. Continue with: --cursor ${cursor}\n`;
  return (rows.length === 0 ? none : toTable(CALLBACKS, rows, width)) + more;
}
