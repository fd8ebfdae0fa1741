/** Requests to pause or to end a run, in one column, because a second look at the row for each step would double the cost. */
import type { EndRequest } from "../../core/model/records.ts";

/** The beginning of the column if a pause was requested. */
export const PAUSE = "pause ";

/** The request to pause, if any, followed by the request to end, if any. */
export type Asked = `${typeof PAUSE | ""}${EndRequest | ""}`;

/** @param asked absent: there are no requests */
export function parseAsked(asked: Asked = ""): {
  readonly pauseRequested: boolean;
  readonly endRequested: EndRequest | null;
} {
  const pauseRequested = asked.startsWith(PAUSE);
  const end = pauseRequested ? asked.slice(PAUSE.length) : asked;
  return { pauseRequested, endRequested: end === "" ? null : (end as EndRequest) };
}
