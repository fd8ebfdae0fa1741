/** Numbers and UUIDs derived from a text. Do not use them for secrets. */

/** The UUID of four words; see `hash`. */
export function formatUuid(words: readonly number[]): string {
  const hex = words.map((word) => word.toString(16).padStart(8, "0")).join("");
  const variant = (8 + (Number.parseInt(hex.charAt(16), 16) & 3)).toString(16);
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, `$1-$2-4$3-${variant}$4-$5`);
}

/** Four 32-bit words from four sums with different seeds and factors, each finished like MurmurHash3. */
export function hash(text: string): readonly number[] {
  const words = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f];
  for (let index = 0; index < text.length; index += 1)
    for (let word = 0; word < 4; word += 1)
      words[word] = Math.imul(
        (words[word] ?? 0) ^ text.charCodeAt(index) ^ ((words[(word + 1) & 3] ?? 0) >>> 15),
        MULTIPLIERS[word] ?? 1,
      );
  // In the end, each word depends on all the others.
  for (let round = 0; round < 3; round += 1)
    for (let word = 0; word < 4; word += 1)
      words[word] = stir(((words[word] ?? 0) + (words[(word + 3) & 3] ?? 0)) >>> 0);
  return words;
}

const MULTIPLIERS = [0x01000193, 0x5bd1e995, 0x1b873593, 0xcc9e2d51];

function stir(word: number): number {
  const first = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35);
  return (second ^ (second >>> 16)) >>> 0;
}
