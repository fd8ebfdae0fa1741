/** @module The two forms of a stream: lines of JSON, and server-sent events. */
import { toJsonView } from "../core/json-view.ts";
import type { ReadProgressOutput } from "../ports/progress-service.ts";

/** A way to write a stream. */
export interface StreamForm {
  readonly contentType: string;
  /** The first text. */
  readonly begin: string;
  /** The text that keeps the connection alive while there are no entries. */
  readonly beat: string;
  /** Entries, after the number of those that are no longer kept. */
  readonly toText: (page: ReadProgressOutput) => string;
  readonly toEnd: (end: Pick<ReadProgressOutput, "cursor" | "ended">) => string;
}

const line = (value: unknown): string => `${toJsonView(value)}\n`;

/** One entry per line. The last line says where to continue, or that there is no more. */
const LINES: StreamForm = {
  contentType: "application/x-ndjson",
  begin: "",
  beat: "",
  toText: ({ missed, entries }) =>
    (missed > 0 ? line({ missed }) : "") + entries.map(line).join(""),
  toEnd: line,
};

/** How long a browser waits before it comes again, in milliseconds. */
const RETRY_MS = 1000;

/**
 * One event per entry. A browser continues from the event's id.
 *
 * @source https://html.spec.whatwg.org/multipage/server-sent-events.html, read 2026-11
 */
export const EVENTS: StreamForm = {
  contentType: "text/event-stream",
  begin: `retry: ${RETRY_MS}\n\n`,
  beat: ":\n\n",
  toText: ({ missed, entries }) =>
    (missed > 0 ? toEvent("missed", { missed }) : "") +
    entries.map((entry) => `id: ${entry.sequence}\ndata: ${toJsonView(entry)}\n\n`).join(""),
  // A browser comes again by itself.
  toEnd: (end) => (end.ended ? toEvent("end", end) : ""),
};

const toEvent = (name: string, value: unknown): string =>
  `event: ${name}\ndata: ${toJsonView(value)}\n\n`;

const FORMS: ReadonlyMap<string, StreamForm | null> = new Map([
  ["text/event-stream", EVENTS],
  ["application/x-ndjson", LINES],
  ["application/json", null],
  ["application/*", null],
  ["*/*", null],
]);

/** The first form that the header `Accept` names; null: JSON. */
export function findForm(accept: string): StreamForm | null {
  for (const part of accept.split(",")) {
    const [type = ""] = part.split(";");
    const form = FORMS.get(type.trim().toLowerCase());
    if (form !== undefined) return form;
  }
  return null;
}
