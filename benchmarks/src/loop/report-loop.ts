/** The figures of long loops and of many places as JSON and as a table. */
import type { LoopFigures } from "./measure-loop.ts";
import type { PlacesFigures } from "./measure-places.ts";
import type { TimedStoreName } from "./timed-stores.ts";

/** Of one store. */
export interface LongRunFigures {
  readonly store: TimedStoreName;
  readonly loop: readonly LoopFigures[];
  readonly places: PlacesFigures;
}

/** An iteration far on costs what one of the first position does, and so much more or less at most. */
const LOOP_SPREAD = 0.1;
/** One history takes at most so many times what ten of a tenth do. */
const PLACES_LIMIT = 3;

/** One line: `{ "loop": { "<store>": { "loop", "places" } } }`. */
export const toLoopJson = (figures: readonly LongRunFigures[]): string =>
  JSON.stringify({
    loop: Object.fromEntries(figures.map(({ store, loop, places }) => [store, { loop, places }])),
  });

export function isMet(figures: readonly LongRunFigures[]): boolean {
  return figures.every(({ loop, places }) => {
    const [first] = loop;
    const isNear = (ratio: number): boolean => Math.abs(ratio - 1) <= LOOP_SPREAD;
    return (
      places.ratio <= PLACES_LIMIT &&
      loop.every(
        ({ ratio, rows, bytes }) =>
          isNear(ratio) &&
          isNear(rows / (first?.rows ?? Number.NaN)) &&
          isNear(bytes / (first?.bytes ?? Number.NaN)),
      )
    );
  });
}

/** A table for people. */
export const toLoopTable = (figures: readonly LongRunFigures[]): string =>
  figures.map(({ store, loop, places }) => [store, ...linesOf(loop, places)].join("\n")).join("\n");

const rowOf = (cells: readonly string[]): string => cells.map((cell) => cell.padStart(18)).join("");

const linesOf = (loop: readonly LoopFigures[], places: PlacesFigures): readonly string[] => [
  rowOf(["from iteration", "processor ms each", "ratio, 1 ± 0.1", "rows a claim", "bytes a claim"]),
  ...loop.map(({ fromIteration, iterationMs, ratio, rows, bytes }) =>
    rowOf([
      String(fromIteration),
      iterationMs.toFixed(3),
      ratio.toFixed(2),
      rows.toFixed(1),
      bytes.toFixed(0),
    ]),
  ),
  `  a history of ${places.places} places resumes in ${places.oneMs.toFixed(1)} ms, ten of a tenth in ${places.tenMs.toFixed(1)} ms: ` +
    `${places.ratio.toFixed(2)} times, to be ${PLACES_LIMIT} at most`,
];
