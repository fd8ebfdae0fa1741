/**
 * Progress: every reader sees what was told, in order and each entry once, and in the end all of it that is kept. What it misses it hears of,
 * and that is what the bound of the stream has removed.
 */
import type { Report } from "../report.ts";
import type { ReaderRecord } from "../world/readers.ts";
import type { ToldEntry } from "../world/streams.ts";
import type { Fail } from "./case.ts";

export function checkStreams({ scenario, streams, readers, kept }: Report, fail: Fail): void {
  const most = scenario.streamEntries ?? Infinity;
  const toldOf = (key: string): readonly ToldEntry[] => streams.told.get(key) ?? [];
  for (const [key, rows] of kept) {
    const all = toldOf(key).map(textOf);
    const expected = all.slice(Math.max(0, all.length - most));
    compare(`the store's stream of ${key}`, rows.map(rowText), expected, fail);
  }
  for (const reader of readers) {
    const key = `${reader.workflow}/${reader.instance}`;
    const failOf = (detail: string): void => fail("stream", `a reader of ${key} ${detail}`);
    checkSeen(reader, { key, told: toldOf(key) }, fail);
    checkMissed(reader, { told: toldOf(key), most }, failOf);
    const { endHeard } = reader;
    if (endHeard !== null && !isEnd(toldOf(key), endHeard))
      failOf(`heard of its end after ${endHeard.after} entries`);
  }
}

/** The entries of its pages, one after the other but for what it was told that it misses, are those that were told. */
function checkSeen(
  { seen, read, cursor }: ReaderRecord,
  { key, told }: { readonly key: string; readonly told: readonly ToldEntry[] },
  fail: Fail,
): void {
  const missed = new Set(read.flatMap((page) => rangeOf(page.after, page.missed)));
  const own = seen.map(({ value, ...entry }) =>
    rowText({ ...entry, stepKey: entry.step, value: JSON.stringify(value) }),
  );
  const expected = told.map(textOf).filter((_, index) => !missed.has(index + 1));
  compare(`a reader of ${key}`, own, expected.slice(0, own.length), fail);
  if (cursor !== (seen.at(-1)?.sequence ?? 0)) fail("stream", `a reader of ${key} is at ${cursor}`);
}

/** A page misses what the stream keeps no more, and begins with the first entry that it keeps. */
function checkMissed(
  { read }: ReaderRecord,
  { told, most }: { readonly told: readonly ToldEntry[]; readonly most: number },
  fail: (detail: string) => void,
): void {
  for (const { after, missed, askedAt, cameAt } of read) {
    const goneBefore = told.filter(({ at }) => at < askedAt).length - most;
    const goneLast = told.filter(({ at }) => at <= cameAt).length - most;
    if (missed < 0 || (missed > 0 && after + missed > goneLast))
      fail(`misses ${missed} entries after ${after}, of which ${goneLast} were gone`);
    if (after + missed < goneBefore)
      fail(`is given what is behind ${after + missed}, and ${goneBefore} were gone`);
  }
}

const rangeOf = (after: number, count: number): readonly number[] =>
  Array.from({ length: Math.max(0, count) }, (_, index) => after + 1 + index);

/** What came before it asked it has read, and what came later is of another run, or of this one as it goes on once more. */
function isEnd(
  told: readonly ToldEntry[],
  { askedAt, after }: { readonly askedAt: number; readonly after: number },
): boolean {
  const last = told[after - 1];
  return told.slice(after).every((entry) => entry.at >= askedAt && isOfLaterLife(entry, last));
}

const isOfLaterLife = ({ runNumber, life }: ToldEntry, last: ToldEntry | undefined): boolean =>
  last === undefined ||
  runNumber > last.runNumber ||
  (runNumber === last.runNumber && life > last.life);

interface Row extends Omit<ToldEntry, "at" | "life"> {
  readonly sequence: number;
}

const rowText = ({ sequence, ...entry }: Row): string => textOf(entry, sequence - 1);

const textOf = (
  { runNumber, stepKey, attempt, value }: Omit<ToldEntry, "at" | "life">,
  index: number,
): string => `${index + 1}: ${value} by attempt ${attempt} of ${stepKey} in run ${runNumber}`;

function compare(whose: string, own: readonly string[], told: readonly string[], fail: Fail): void {
  const at = Array.from({ length: Math.max(own.length, told.length) }, (_, n) => n).find(
    (n) => own[n] !== told[n],
  );
  if (at !== undefined)
    fail(
      "stream",
      `${whose} has ${own[at] ?? "nothing more"}, and is to have ${told[at] ?? "no more"}`,
    );
}
