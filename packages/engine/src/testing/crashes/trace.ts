/** What author code did in one replay: which steps it called and what it was told, so that two replays can be compared. */
import { attempt } from "../../core/attempt.ts";
import { encodeJson } from "../../core/codec.ts";

/** Author code called something, or came to an end; or it was told something. */
interface Entry {
  readonly kind: "did" | "told";
  /** Where: the run (empty), a branch or an iteration. */
  readonly place: string;
  /** The call that it was told the outcome of; empty of what it did. */
  readonly call: string;
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
    this.entries.push({ kind: "did", place, call: "", text });
  }

  /** @param call which one, as no other at the place */
  told(place: string, call: string, text: string): void {
    if (this.#isLive()) this.entries.push({ kind: "told", place, call, text });
  }
}

/** Where two replays do something else. */
export interface Parting {
  /** Empty: the run. */
  readonly place: string;
  readonly message: string;
}

/**
 * Compares what two replays did for as long as they were told the same, in the same order. Iterations that one of them did
 * not run again are left out.
 *
 * @returns where they part first; null: they do not
 */
export function findParting(before: Trace, after: Trace): Parting | null {
  const [one, other] = toShared(before, after);
  const toldCount = countSame(toTold(one), toTold(other));
  const [did, didAfter] = [toDeeds(one, toldCount), toDeeds(other, toldCount)];
  for (const [place, texts] of did) {
    const textsAfter = didAfter.get(place) ?? [];
    const at = texts.findIndex(
      (text, index) => index < textsAfter.length && text !== textsAfter[index],
    );
    if (at < 0) continue;
    const message = `told the same, ${toPlaceText(place)} ${textsAfter[at]} where it ${texts[at]} before`;
    return { place, message };
  }
  return null;
}

/**
 * How what a replay was told differs from another one. `same`: in nothing that both were told. `value`: the same call had
 * another outcome of its body first. `order`: something else came first, as when steps that run at once end in another order.
 */
export type ToldChange =
  | { readonly kind: "same" }
  | { readonly kind: "order" }
  | {
      readonly kind: "value";
      readonly call: string;
      readonly before: string;
      readonly after: string;
    };

/** Finds the first difference in what two replays were told. */
export function findToldChange(before: Trace, after: Trace): ToldChange {
  const [one, other] = toShared(before, after).map(toTold) as [readonly Entry[], readonly Entry[]];
  const at = countSame(one, other);
  const [first, second] = [one[at], other[at]];
  if (first === undefined || second === undefined) return { kind: "same" };
  if (first.place !== second.place || first.call !== second.call) return { kind: "order" };
  if (!isBody.test(first.call)) return { kind: "order" };
  return { kind: "value", call: first.call, before: first.text, after: second.text };
}

/** Calls whose outcome is what a body made of it; that of scopes follows from others. */
const isBody = /^step\.(do|tryDo) /;

const toTold = (entries: readonly Entry[]): readonly Entry[] =>
  entries.filter(({ kind }) => kind === "told");

/** How many begin both. */
function countSame(one: readonly Entry[], other: readonly Entry[]): number {
  const at = one.findIndex((entry, index) => !isSame(entry, other[index]));
  return at < 0 ? one.length : at;
}

const isSame = (one: Entry, other: Entry | undefined): boolean =>
  one.place === other?.place && one.call === other.call && one.text === other.text;

const toPlaceText = (place: string): string => (place === "" ? "the workflow" : `"${place}"`);

/** What both have, without places that only one of them came to. */
function toShared(one: Trace, other: Trace): readonly [readonly Entry[], readonly Entry[]] {
  const isShared = ({ place }: Entry): boolean => one.places.has(place) && other.places.has(place);
  return [one.entries.filter(isShared), other.entries.filter(isShared)];
}

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
  attempt(
    () => (error instanceof Error ? `${error.name}: ${error.message}` : toText(error)),
    "what cannot be read",
  );
