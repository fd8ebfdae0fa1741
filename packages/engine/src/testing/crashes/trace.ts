/** What author code did in one replay: which steps it called and what it was told, so that two replays can be compared. */
import { encodeJson } from "../../core/codec.ts";

/** Author code called something, or came to an end; or it was told something. */
interface Entry {
  readonly kind: "did" | "told";
  /** Where: the run (empty), a branch or an iteration. */
  readonly place: string;
  readonly text: string;
}

/** One replay, from the call of the workflow's function on. */
export class Trace {
  readonly entries: Entry[] = [];
  readonly places: Set<string> = new Set([""]);
  readonly #isLive: () => boolean;

  /** @param isLive whether the process is alive: what its code does afterwards is nobody's */
  constructor(isLive: () => boolean) {
    this.#isLive = isLive;
  }

  did(place: string, text: string): void {
    if (!this.#isLive()) return;
    this.places.add(place);
    this.entries.push({ kind: "did", place, text });
  }

  told(place: string, text: string): void {
    if (this.#isLive()) this.entries.push({ kind: "told", place, text });
  }
}

/**
 * Compares what two replays did for as long as they were told the same, in the same order. Iterations that one of them did
 * not run again are left out.
 *
 * @returns where they part, in words; null: they do not
 */
export function findParting(before: Trace, after: Trace): string | null {
  const [one, other] = [toShared(before, after), toShared(after, before)];
  const [oneTold, otherTold] = [one, other].map((entries) =>
    entries.filter(({ kind }) => kind === "told"),
  ) as [Entry[], Entry[]];
  const sameCount = oneTold.findIndex((entry, index) => !isSame(entry, otherTold[index]));
  const toldCount = sameCount < 0 ? oneTold.length : sameCount;
  const [did, didAfter] = [toDeeds(one, toldCount), toDeeds(other, toldCount)];
  for (const [place, texts] of did) {
    const textsAfter = didAfter.get(place) ?? [];
    const at = texts.findIndex(
      (text, index) => index < textsAfter.length && text !== textsAfter[index],
    );
    if (at >= 0)
      return `told the same, ${toPlaceText(place)} ${textsAfter[at]} where it ${texts[at]} before`;
  }
  return null;
}

const isSame = (one: Entry, other: Entry | undefined): boolean =>
  one.place === other?.place && one.text === other.text;

const toPlaceText = (place: string): string => (place === "" ? "the workflow" : `"${place}"`);

const toShared = (trace: Trace, other: Trace): readonly Entry[] =>
  trace.entries.filter(({ place }) => other.places.has(place) && trace.places.has(place));

/** What was done at each place before the code was told more than so much. */
function toDeeds(
  entries: readonly Entry[],
  toldCount: number,
): ReadonlyMap<string, readonly string[]> {
  const deeds = new Map<string, string[]>();
  let told = 0;
  for (const { kind, place, text } of entries) {
    if (kind === "told") {
      told += 1;
      if (told > toldCount) break;
    } else {
      const texts = deeds.get(place) ?? [];
      deeds.set(place, texts);
      texts.push(text);
    }
  }
  return deeds;
}

/** A value as text that can be compared; of what is no JSON, only that it is none. */
export function toText(value: unknown): string {
  try {
    return encodeJson(value, { maxBytes: Infinity, what: "a value" }) ?? "nothing";
  } catch {
    return "what is no JSON";
  }
}

/** What was thrown, as text that can be compared. */
export const toErrorText = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : toText(error);
