/** Pages of history: parses the input for the store, and shows the store's pages to callers. */
import { fromCursor, toCursor } from "../core/cursor.ts";
import { WorkflowError } from "../core/errors.ts";
import type { EpochMs, RunRef } from "../core/model/records.ts";
import type { HistoryOutput } from "../ports/instance-views.ts";
import type { HistoryPage, PagePosition } from "../ports/pages.ts";
import { toEventView, toStepView } from "./views.ts";

/** Where a page begins. */
export interface HistoryPosition {
  readonly stepsAfter: PagePosition | null;
  readonly eventsAfter: PagePosition | null;
}

/** @throws {WorkflowError} INVALID_CURSOR — not of this run's history */
export function parseHistoryCursor(run: RunRef, cursor: string | undefined): HistoryPosition {
  if (cursor === undefined) return { stepsAfter: null, eventsAfter: null };
  const kind = historyKind(run);
  return readPosition(kind, fromCursor(kind, cursor));
}

/** Reads the position of a cursor of any run's history, for reads that are sent before the run is known. */
export function peekHistoryCursor(cursor: string | undefined): HistoryPosition {
  if (cursor === undefined) return { stepsAfter: null, eventsAfter: null };
  return readPosition("history", fromCursor(null, cursor));
}

/** The page that callers see. @param after where it began */
export function toHistoryOutput(
  run: RunRef,
  { steps, events }: HistoryPage,
  after: HistoryPosition,
): HistoryOutput {
  const hasNextPage = steps.next !== null || events.next !== null;
  const next = {
    stepsAfter: lastPosition(steps.items) ?? after.stepsAfter,
    eventsAfter: lastPosition(events.items) ?? after.eventsAfter,
  };
  return {
    runNumber: run.runNumber,
    steps: steps.items.map(toStepView),
    events: events.items.map(toEventView),
    hasNextPage,
    ...(hasNextPage ? { cursor: toCursor(historyKind(run), next) } : {}),
  };
}

/** Reads a position from a cursor. @throws {WorkflowError} INVALID_CURSOR */
export function toPosition(kind: string, value: unknown): PagePosition | null {
  if (value === null) return null;
  if (typeof value === "object" && value !== undefined && "at" in value && "id" in value) {
    const { at, id } = value;
    if (isInstant(at) && typeof id === "string" && ROW_ID.test(id)) return { at, id };
  }
  throw new WorkflowError(
    "INVALID_CURSOR",
    "the cursor does not belong to this list; pass the previous page's cursor unchanged, or none",
    { kind },
  );
}

/** The largest time value, which every database can store. @source ECMA-262, time values */
const MAX_INSTANT = 8.64e15;

/** Text that every database accepts, no longer than any of our ids. */
const ROW_ID = /^[\x21-\x7e]{1,255}$/;

const isInstant = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_INSTANT;

function readPosition(kind: string, position: Readonly<Record<string, unknown>>): HistoryPosition {
  return {
    stepsAfter: toPosition(kind, position["stepsAfter"]),
    eventsAfter: toPosition(kind, position["eventsAfter"]),
  };
}

const historyKind = ({ workflowName, instanceId, runNumber }: RunRef): string =>
  `history ${workflowName} ${instanceId} ${runNumber}`;

const lastPosition = (
  rows: readonly { readonly createdAt: EpochMs; readonly id: string }[],
): PagePosition | null => {
  const last = rows.at(-1);
  return last === undefined ? null : { at: last.createdAt, id: last.id };
};
