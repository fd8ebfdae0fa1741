/** Keeps rows sorted, so that a page of a long list costs only its own rows. */

interface Sorted {
  readonly rows: readonly object[];
  readonly sorted: readonly object[];
}

/** The sorted rows of each list, so that reading all pages does not sort it each time. */
const sortings = new WeakMap<object, Sorted>();

/** @param list that the rows belong to; without one, they are sorted each time */
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

/** The index of the first row for which `holds` is true; it must be true for all rows after that. */
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
