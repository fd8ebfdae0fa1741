/** A history as plain text, for reading, searching, or pasting into a report. */
import { toTook } from "./format.ts";
import type { HistoryShown } from "./history.ts";
import { spanOf, type StepShown, tookMs, type View } from "./shapes.ts";

/** One line per step or event, in order; times are in UTC. Without payloads. */
export function toHistoryText(
  title: string,
  details: View["details"],
  history: HistoryShown,
): string {
  const { steps, events } = history;
  return [
    ...toHead(title, details, history),
    "",
    ...steps.map(toLine),
    ...(history.isPartial ? ["… more follows"] : []),
    ...(events.length === 0 ? [] : ["", "Events"]),
    ...events.map(
      ({ createdAt, type, id, consumedByStepKey }) =>
        `${toTime(createdAt)}  ${type}  ${id}  ${consumedByStepKey === null ? "not taken" : `taken by ${consumedByStepKey}`}`,
    ),
    "",
  ].join("\n");
}

/** The state of the present run. What an earlier one ended with is not known. */
function toHead(title: string, details: View["details"], { runNumber }: HistoryShown): string[] {
  const { runNumber: present, status, error } = details;
  const head = `${title}, run ${runNumber}`;
  if (present !== runNumber) return [`${head}, an earlier one: run ${present} is the present one`];
  return [`${head}: ${status}`, ...(error === undefined ? [] : [`  ${toOneLine(error)}`])];
}

function toLine(step: StepShown): string {
  const { stepKey, type, status, attempts, error } = step;
  const tried = attempts > 1 ? `, ${attempts} attempts` : "";
  const line = `${toTime(spanOf(step).from)}  ${stepKey}  ${type}  ${status}${tried}  ${toTook(tookMs(step))}`;
  return error === null ? line.trimEnd() : `${line.trimEnd()}\n  ${toOneLine(error)}`;
}

const toTime = (at: number): string => new Date(at).toISOString();

const toOneLine = ({
  code,
  name,
  message,
}: {
  readonly code: string | null;
  readonly name: string;
  readonly message: string;
}): string => `${code === null ? "" : `${code} `}${name}: ${message}`.replaceAll(/\s+/g, " ");
