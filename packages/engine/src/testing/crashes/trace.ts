/** The trace of author code in one replay: which steps it called and which outcomes it got, so that two replays can be compared. */
import { attempt } from "../../core/attempt.ts";
import { encodeJson } from "../../core/codec.ts";

/** A call or an end of author code, or an outcome that it got. */
interface Entry {
  readonly kind: "did" | "told";
  /** The place: the run (empty), a branch or an iteration. */
  readonly place: string;
  /** The call whose outcome it got; empty for what the code did. */
  readonly call: string;
  readonly text: string;
}

/** The trace of one replay, from the call of the workflow's function on. */
export class Trace {
  readonly entries: Entry[] = [];
  readonly places: Set<string> = new Set([""]);
  readonly #isLive: () => boolean;

  /** @param isLive whether the process is alive; what its code does afterwards does not count */
  constructor(isLive: () => boolean) {
    this.#isLive = isLive;
  }

  did(place: string, text: string): void {
    if (!this.#isLive()) return;
    this.places.add(place);
    this.entries.push({ kind: "did", place, call: "", text });
  }

  /** @param call identifies the call at the place */
  told(place: string, call: string, text: string): void {
    if (this.#isLive()) this.entries.push({ kind: "told", place, call, text });
  }
}

/** The first difference between two replays. */
export interface Parting {
  /** Empty: the run. */
  readonly place: string;
  readonly message: string;
}

/**
 * Compares two replays as long as they got the same outcomes in the same order. Iterations that only one of them ran are left out.
 *
 * @returns their first difference; null: none
 */
export function findParting(before: Trace, after: Trace): Parting | null {
  const [one, other] = toShared(before, after);
  const sameOutcomeCount = countSame(toOutcomes(one), toOutcomes(other));
  const [did, didAfter] = [toDeeds(one, sameOutcomeCount), toDeeds(other, sameOutcomeCount)];
  for (const [place, texts] of did) {
    const textsAfter = didAfter.get(place) ?? [];
    const at = texts.findIndex(
      (text, index) => index < textsAfter.length && text !== textsAfter[index],
    );
    if (at < 0) continue;
    const message = `after the same outcomes, ${toPlaceText(place)} ${textsAfter[at]} where it ${texts[at]} before`;
    return { place, message };
  }
  return null;
}

/**
 * How the outcomes that a replay got differ from another's. `same`: not at all, as far as both go. `value`: first, the body of the same
 * call had another outcome. `order`: first, something else came earlier, for example because steps that run at once ended in
 * another order.
 */
export type OutcomeChange =
  | { readonly kind: "same" }
  | { readonly kind: "order" }
  | {
      readonly kind: "value";
      readonly call: string;
      readonly before: string;
      readonly after: string;
    };

/** Finds the first difference between the outcomes that two replays got. */
export function findOutcomeChange(before: Trace, after: Trace): OutcomeChange {
  const [one, other] = toShared(before, after).map(toOutcomes) as [
    readonly Entry[],
    readonly Entry[],
  ];
  const at = countSame(one, other);
  const [first, second] = [one[at], other[at]];
  if (first === undefined || second === undefined) return { kind: "same" };
  if (first.place !== second.place || first.call !== second.call) return { kind: "order" };
  if (!isBody.test(first.call)) return { kind: "order" };
  return { kind: "value", call: first.call, before: first.text, after: second.text };
}

/** Calls whose outcome comes from a body; that of scopes follows from others. */
const isBody = /^step\.(do|tryDo) /;

const toOutcomes = (entries: readonly Entry[]): readonly Entry[] =>
  entries.filter(({ kind }) => kind === "told");

/** The length of the common beginning. */
function countSame(one: readonly Entry[], other: readonly Entry[]): number {
  const at = one.findIndex((entry, index) => !isSame(entry, other[index]));
  return at < 0 ? one.length : at;
}

const isSame = (one: Entry, other: Entry | undefined): boolean =>
  one.place === other?.place && one.call === other.call && one.text === other.text;

const toPlaceText = (place: string): string => (place === "" ? "the workflow" : `"${place}"`);

/** The parts that both have, without places that only one of them reached. */
function toShared(one: Trace, other: Trace): readonly [readonly Entry[], readonly Entry[]] {
  const isShared = ({ place }: Entry): boolean => one.places.has(place) && other.places.has(place);
  return [one.entries.filter(isShared), other.entries.filter(isShared)];
}

/** What the code did at each place before it got more than so many outcomes. */
function toDeeds(
  entries: readonly Entry[],
  sameOutcomeCount: number,
): ReadonlyMap<string, readonly string[]> {
  const deeds = new Map<string, string[]>();
  let told = 0;
  for (const { kind, place, text } of entries) {
    if (kind === "told") {
      told += 1;
      if (told > sameOutcomeCount) break;
    } else {
      const texts = deeds.get(place) ?? [];
      deeds.set(place, texts);
      texts.push(text);
    }
  }
  return deeds;
}

/** A value as comparable text; a value that JSON cannot represent has a fixed text. */
export function toText(value: unknown): string {
  try {
    return encodeJson(value, { maxBytes: Infinity, what: "a value" }) ?? "nothing";
  } catch {
    return "what is no JSON";
  }
}

/** A thrown value as comparable text. */
export const toErrorText = (error: unknown): string =>
  attempt(
    () => (error instanceof Error ? `${error.name}: ${error.message}` : toText(error)),
    "what cannot be read",
  );
