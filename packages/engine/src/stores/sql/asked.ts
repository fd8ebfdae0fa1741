/** What is asked of a run that goes on, in one column: a second look at the same row for each step would cost as much again. */
import type { EndRequest } from "../../core/model/records.ts";

/** Begins what is asked of a run that is to pause. */
export const PAUSE = "pause ";

/** The request to pause, if there is one, then the request to end, if there is one. */
export type Asked = `${typeof PAUSE | ""}${EndRequest | ""}`;

/** @param asked absent: nothing is */
export function parseAsked(asked: Asked = ""): {
  readonly pauseRequested: boolean;
  readonly endRequested: EndRequest | null;
} {
  const pauseRequested = asked.startsWith(PAUSE);
  const end = pauseRequested ? asked.slice(PAUSE.length) : asked;
  return { pauseRequested, endRequested: end === "" ? null : (end as EndRequest) };
}
