/** The host of any runtime with Web APIs. */
import type { Host } from "../ports/host.ts";
import { createTurns } from "./turns.ts";

/** Longest delay that timers take: more fires at once on Node, Deno and Bun (measured 2026-11, Node 20.20). */
const MAX_TIMER_MS = 2_147_483_647;

/**
 * Timers, chance and ids from Web APIs.
 *
 * @param overrides a runtime's better ways; a `now` without `elapsedMs` is taken for both
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

/**
 * Ids of 26 characters: 10 of time in milliseconds (they sort by creation), 10 random per process, 6 counted.
 * Uniqueness rests on the 50 random bits and the counter, not on the clock.
 */
function createIdSource(): () => string {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  const random = Array.from(bytes, (byte) => toBase32(byte & 31, 1)).join("");
  let counter = 0;
  let time = toBase32(Date.now(), 10);
  return () => {
    counter = (counter + 1) % 2 ** 30;
    if ((counter & 63) === 0) time = toBase32(Date.now(), 10);
    return time + toBase32(counter, 6) + random;
  };
}

const toBase32 = (value: number, length: number): string =>
  value.toString(32).padStart(length, "0");
