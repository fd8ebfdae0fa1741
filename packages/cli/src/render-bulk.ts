/** Bulk jobs, for people. */
import type { Bulk, BulkList, BulkPreview } from "./client.ts";
import { toPlainText } from "./plain-text.ts";
import { type Column, toTable } from "./table.ts";

const kept = (title: string): Column => ({ title, mayBeCut: false });
const COUNTS = [kept("WORKFLOW"), kept("STATUS"), kept("COUNT")];
const SAMPLES = [kept("WORKFLOW"), kept("ID"), kept("STATUS"), kept("REFUSED WITH")];
const JOBS = [kept("ID"), kept("ACT"), kept("STATUS"), kept("DONE"), kept("REFUSED"), kept("OF")];
const REFUSALS = [kept("WORKFLOW"), kept("ID"), kept("REFUSED WITH")];

const atLeast = (count: number, isCapped: boolean): string =>
  `${count}${isCapped ? " or more" : ""}`;

const DONE: Readonly<Record<BulkPreview["act"], string>> = {
  retry: "retried",
  restart: "restarted",
  pause: "paused",
  resume: "resumed",
  cancel: "asked to end",
  terminate: "terminated",
  delete: "deleted",
};

/** What a job would do. */
export function renderPreview(preview: BulkPreview, width: number | null): string {
  const { act, count, isCapped, refusedCount, counts, samples } = preview;
  const refused = refusedCount === 0 ? "" : `, and ${refusedCount} would refuse`;
  const instances = count === 1 && !isCapped ? "instance" : "instances";
  const head = `${atLeast(count, isCapped)} ${instances} would be ${DONE[act]}${refused}.\n`;
  if (samples.length === 0) return head;
  const countRows = counts.map((one) => [
    one.workflowName,
    one.status,
    atLeast(one.count, one.isCapped),
  ]);
  const rows = samples.map(({ workflowName, id, status, refusal }) => [
    workflowName,
    id,
    status,
    refusal ?? "",
  ]);
  return `${head}\n${toTable(COUNTS, countRows, width)}\nThe newest of them:\n${toTable(SAMPLES, rows, width)}`;
}

/** A page of jobs. */
export function renderBulks({ bulks, cursor }: BulkList, width: number | null): string {
  if (bulks.length === 0) return "No bulk job found.\n";
  const rows = bulks.map(({ id, act, status, progress }) => [
    id,
    act,
    status,
    String(progress.done),
    String(progress.refused),
    progress.total === null ? "" : atLeast(progress.total, progress.isCapped),
  ]);
  const more =
    cursor === undefined ? "" : `There is more. Continue with: --cursor ${toPlainText(cursor)}\n`;
  return toTable(JOBS, rows, width) + more;
}

/** One job. */
export function renderBulk({ id, act, status, progress, error }: Bulk): string {
  const { done, refused, total, isCapped, left, refusals, refusedByCode } = progress;
  const among = total === null ? "" : ` of ${atLeast(total, isCapped)}`;
  const rest = left === null ? "" : `, ${left} left`;
  const head = toPlainText(
    `${id}: ${act}, ${status}; ${done} done${among}, ${refused} refused${rest}`,
  );
  const failure = error === undefined ? "" : `${toPlainText(`${error.name}: ${error.message}`)}\n`;
  const codes = Object.entries(refusedByCode).map(
    ([code, count]) => `  ${count} × ${toPlainText(code)}\n`,
  );
  const rows = refusals.map((one) => [one.workflowName, one.id, one.code]);
  const told = rows.length === 0 ? "" : `${codes.join("")}\n${toTable(REFUSALS, rows, null)}`;
  return `${head}\n${failure}${told}`;
}
