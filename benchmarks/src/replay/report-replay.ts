/** The figures of replays as JSON and as a table. */
import type { ReplayFigures } from "./measure-replay.ts";

/** For 10 000 histories. @source acceptance row S8-013 */
const TARGET_MS = 60_000;
/** Of one history and the findings; what is held must not grow with the histories. */
const MAX_HEAP_BYTES = 32 * 1024 * 1024;

/** No body starts, the misfits are found and named, and memory is bounded. */
export const isRight = (figures: ReplayFigures): boolean =>
  figures.bodiesStarted === 0 &&
  figures.diverged === figures.misfits &&
  figures.named === figures.misfits &&
  figures.heapAtMostBytes <= MAX_HEAP_BYTES;

export const isMet = (figures: readonly ReplayFigures[]): boolean =>
  figures.every((one) => isRight(one) && one.tookMs <= TARGET_MS);

/** One line: `{ "replay": [ … ] }`. */
export const toReplayJson = (figures: readonly ReplayFigures[]): string =>
  JSON.stringify({ replay: figures });

/** A table for people. */
export const toReplayTable = (figures: readonly ReplayFigures[]): string =>
  [
    ["store", "from", "histories", "s", "cpu s", "MB at 1/10", "MB at most", "bodies", "diverged"],
    ...figures.map((one) => [
      one.store,
      one.from,
      one.histories,
      toSeconds(one.tookMs),
      toSeconds(one.cpuMs),
      toMegabytes(one.heapAtTenthBytes),
      toMegabytes(one.heapAtMostBytes),
      one.bodiesStarted,
      `${one.named} of ${one.misfits}`,
    ]),
  ]
    .map((cells) => cells.map((cell) => String(cell).padStart(11)).join(""))
    .join("\n");

const toSeconds = (ms: number): string => (ms / 1000).toFixed(1);
const toMegabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1);
