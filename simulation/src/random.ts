/** Seeded chance: one seed gives the same numbers on every machine. */

/** A stream of numbers. Streams of different labels do not disturb each other. */
export class Random {
  #state: number;
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = mix(seed);
    this.#state = this.#seed;
  }

  /** Another stream of the same seed. */
  fork(label: string): Random {
    let hash = this.#seed;
    for (let index = 0; index < label.length; index += 1)
      hash = mix(hash ^ Math.imul(label.charCodeAt(index) + index, 0x9e37_79b1));
    return new Random(hash);
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b_79f5) | 0;
    return mix(this.#state) / 4_294_967_296;
  }

  /** A whole number, both bounds included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(0, list.length - 1)] as T;
  }

  /** One of several, each as likely as its weight says. */
  weighted<T>(choices: readonly (readonly [weight: number, value: T])[]): T {
    let rest = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of choices) {
      rest -= weight;
      if (rest < 0) return value;
    }
    return (choices.at(-1) as readonly [number, T])[1];
  }
}

/** Thirty-two bits in which every bit of the input tells. @source MurmurHash3's finalizer */
function mix(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
