/** Finds acceptance row ids in the name of a test. */

const FIRST = /\b(?<seed>S\d)-(?<number>\d{3})(?!\d)/g;
const NEXT = /\s*(?<joint>…|\.{2,3}|–|\bto\b|,|\/|&|\band\b)\s*(?:S\d-)?(?<number>\d{3})(?!\d)/y;
const RANGE_JOINTS = new Set(["…", "..", "...", "–", "to"]);

/** Ids in order of first mention. Knows lists ("S0-143, 149", "S0-143/S0-149") and ranges ("S0-001…S0-005"). */
export function findRowIds(name: string): string[] {
  const ids = new Set<string>();
  for (const match of name.matchAll(FIRST)) {
    const seed = match.groups?.["seed"] ?? "";
    let last = Number(match.groups?.["number"]);
    ids.add(toRowId(seed, last));
    NEXT.lastIndex = match.index + match[0].length;
    for (let next = NEXT.exec(name); next !== null; next = NEXT.exec(name)) {
      const number = Number(next.groups?.["number"]);
      if (startsOtherSeed(next[0], seed)) break;
      const isRange = RANGE_JOINTS.has(next.groups?.["joint"] ?? "");
      for (let row = isRange ? last + 1 : number; row <= number; row += 1)
        ids.add(toRowId(seed, row));
      last = number;
    }
  }
  return [...ids];
}

function startsOtherSeed(joined: string, seed: string): boolean {
  const other = /S\d/.exec(joined)?.[0];
  return other !== undefined && other !== seed;
}

function toRowId(seed: string, row: number): string {
  return `${seed}-${String(row).padStart(3, "0")}`;
}
