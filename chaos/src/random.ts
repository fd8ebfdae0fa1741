/** Chance that can be repeated: the same seed gives the same numbers. */

/** Numbers from one seed. */
export interface Random {
  /** From 0 to 1, without 1. */
  next(): number;
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number;
  pick<T>(items: readonly T[]): T;
  /** True with this probability. */
  chance(probability: number): boolean;
}

/** @param seed any text: parts joined by a separator give independent streams */
export function createRandom(seed: string): Random {
  let state = hash(seed);
  // Mulberry32. https://gist.github.com/tommyettinger/46a874533244883189143505d203312c (read 2026-11)
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    between,
    pick: <T>(items: readonly T[]): T => items[between(0, items.length - 1)] as T,
    chance: (probability) => next() < probability,
  };
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value | 0;
}
