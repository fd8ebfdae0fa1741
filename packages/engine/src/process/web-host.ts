/** The host of any runtime with Web APIs. */
import type { Host } from "../ports/host.ts";
import { createTurns } from "./turns.ts";

/** The longest delay of a timer. A longer one fires at once on Node, Deno and Bun (measured 2026-11, Node 20.20). */
const MAX_TIMER_MS = 2_147_483_647;

/**
 * Creates timers, random numbers and ids from Web APIs.
 *
 * @param overrides better ones of a runtime; a `now` without `elapsedMs` is used for both
 */
export function createWebHost(overrides: Partial<Host> = {}): Host {
  return {
    now: () => Date.now(),
    elapsedMs: overrides.now ?? ((): number => performance.now()),
    setTimer,
    afterTurn: createTurns(),
    newId: createIdSource(),
    random: () => Math.random(),
    ...overrides,
  };
}

function setTimer(delayMs: number, callback: () => void): () => void {
  if (delayMs <= MAX_TIMER_MS) {
    const handle = setTimeout(callback, Math.max(0, delayMs));
    return () => clearTimeout(handle);
  }
  let cancel = setTimer(MAX_TIMER_MS, () => {
    cancel = setTimer(delayMs - MAX_TIMER_MS, callback);
  });
  return () => cancel();
}

/** Characters at the end of each id, the same in all ids of a process. */
export const PROCESS_LENGTH = 9;

/** The counter begins again after so many. */
const COUNTED = 2 ** 20;

/**
 * Ids of 22 characters: 9 of time in milliseconds (they sort by creation), 4 counted, 9 random per process. An entry of an index
 * that holds more than 23 takes eight bytes more, and each row of a run has such entries.
 *
 * In a process they are unique because the time rises whenever the counter begins again; among processes by 45 random bits, for
 * those whose time and counter are the same.
 */
function createIdSource(): () => string {
  const bytes = crypto.getRandomValues(new Uint8Array(PROCESS_LENGTH));
  const random = Array.from(bytes, (byte) => toBase32(byte & 31, 1)).join("");
  let counter = -1;
  let time = 0;
  let timeText = "";
  return () => {
    counter = (counter + 1) % COUNTED;
    if ((counter & 63) === 0) {
      time = Math.max(Date.now(), counter === 0 ? time + 1 : time);
      timeText = toBase32(time, 9);
    }
    return timeText + toBase32(counter, 4) + random;
  };
}

const toBase32 = (value: number, length: number): string =>
  value.toString(32).padStart(length, "0");
