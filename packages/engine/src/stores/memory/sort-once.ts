/** Sorted rows that are kept: pages of a long list cost what is on them. */

interface Sorted {
  readonly rows: readonly object[];
  readonly sorted: readonly object[];
}

/** By list, what it was sorted into: who walks through all its pages does not sort it with each. */
const sortings = new WeakMap<object, Sorted>();

/** @param list that the rows are of; none: they are sorted each time */
export function sortOnce<Row extends object>(
  rows: readonly Row[],
  compare: (a: Row, b: Row) => number,
  list?: object,
): readonly Row[] {
  const before = list === undefined ? undefined : sortings.get(list);
  if (before?.rows.length === rows.length && rows.every((row, at) => row === before.rows[at]))
    return before.sorted as readonly Row[];
  const sorted = rows.toSorted(compare);
  if (list !== undefined) sortings.set(list, { rows, sorted });
  return sorted;
}

/** Where the rows begin of which it holds; it holds of all behind the first. */
export function findFirst<Row>(rows: readonly Row[], holds: (row: Row) => boolean): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows[middle];
    if (row !== undefined && holds(row)) high = middle;
    else low = middle + 1;
  }
  return low;
}
