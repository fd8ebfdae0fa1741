/** Progress: every reader sees what was told, in order, without a gap, each entry once, and in the end all of it. */
import type { Report } from "../report.ts";
import type { ToldEntry } from "../world/streams.ts";

type Fail = (rule: string, detail: string) => void;

export function checkStreams({ streams, readers, kept }: Report, fail: Fail): void {
  for (const [key, told] of streams.told) {
    const rows = kept.get(key) ?? [];
    const all = told.map(textOf);
    compare(`the store's stream of ${key}`, rows.map(rowText), all, fail);
  }
  for (const { workflow, instance, seen, cursor, endHeard } of readers) {
    const key = `${workflow}/${instance}`;
    const told = (streams.told.get(key) ?? []).map(textOf);
    const own = seen.map(({ value, ...entry }) =>
      rowText({ ...entry, stepKey: entry.step, value: JSON.stringify(value) }),
    );
    compare(`a reader of ${key}`, own, told.slice(0, own.length), fail);
    if (cursor !== own.length) fail("stream", `a reader of ${key} is at ${cursor}`);
    if (endHeard !== null && !isEnd(streams.told.get(key) ?? [], endHeard))
      fail("stream", `a reader of ${key} heard of its end after ${endHeard.after} entries`);
  }
}

/** What came before it asked it has read, and what came later is of another run. */
function isEnd(
  told: readonly ToldEntry[],
  { askedAt, after }: { readonly askedAt: number; readonly after: number },
): boolean {
  const last = told[after - 1]?.runNumber ?? 0;
  return told.slice(after).every(({ at, runNumber }) => at >= askedAt && runNumber > last);
}

interface Row extends Omit<ToldEntry, "at"> {
  readonly sequence: number;
}

const rowText = ({ sequence, ...entry }: Row): string => textOf(entry, sequence - 1);

const textOf = (
  { runNumber, stepKey, attempt, value }: Omit<ToldEntry, "at">,
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
