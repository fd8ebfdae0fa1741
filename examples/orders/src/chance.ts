/** Chance that comes out the same for the same seed. */

/** Numbers in [0, 1). @param seed a 32-bit integer */
export function createChance(seed: number): () => number {
  let state = seed | 0;
  // Mulberry32, in the public domain: short, and good enough to throw dice with.
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
