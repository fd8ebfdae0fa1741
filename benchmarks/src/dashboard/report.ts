/** What pairs of rounds say. */
import type { Tally } from "./polls.ts";
import type { Round } from "./ticks.ts";

/** A round, and what the pages had asked before it and after it. */
export interface Half {
  readonly round: Round;
  readonly before: Tally;
  readonly after: Tally;
}

export interface Pair {
  readonly alone: Half;
  readonly shown: Half;
}

/** What 50 pages may take of what ticks do. @source acceptance row S8-009 */
const TARGET = 0.05;

interface About {
  readonly pageCount: number;
  readonly storeName: string;
  /** Of a round. */
  readonly seconds: number;
  /** Milliseconds on processors by question. */
  readonly questions: ReadonlyMap<string, number>;
}

const all = ({ ownMs, serverMs }: Round): number => ownMs + serverMs;

export function printPairs(pairs: readonly Pair[], about: About): void {
  const { pageCount, storeName, seconds } = about;
  console.log(`${storeName}, ${pairs.length} pairs of rounds of ${seconds} s, ${pageCount} pages`);
  const ratios = (of: (round: Round) => number): readonly number[] =>
    pairs.map(({ alone, shown }) => of(shown.round) / of(alone.round));
  line(
    "instances a second",
    ratios((round) => round.bySecond),
  );
  line("time on processors for an instance", ratios(all));
  const rates = toRates(pairs, seconds);
  const asked = [...rates.values()].reduce((sum, rate) => sum + rate, 0);
  const [changed, total] = countChanged(pairs);
  console.log(`${asked.toFixed(1)} requests a second, ${percent(1 - changed / total)} unchanged`);
  let takenMs = 0;
  for (const [question, rate] of rates) {
    const ms = about.questions.get(question) ?? Number.NaN;
    takenMs += rate * ms;
    console.log(`  ${rate.toFixed(2).padStart(6)} a second, ${ms.toFixed(2)} ms each  ${question}`);
  }
  // Ticks are work of one thread: what pages take of its second is what ticks have no more, when they need all of it.
  const share = takenMs / 1000;
  const verdict = share < TARGET ? "met" : "missed";
  console.log(
    `${takenMs.toFixed(1)} ms on processors a second for pages, if nothing were shared: ${percent(share)} of one, ${verdict}`,
  );
}

function line(name: string, ratios: readonly number[]): void {
  const { lower, median, upper } = quartiles(ratios);
  const [of, to] = [lower, upper].map((ratio) => ratio.toFixed(3));
  console.log(`${name}, with ÷ without: median ${median.toFixed(3)}, quartiles ${of} to ${to}`);
}

interface Quartiles {
  readonly lower: number;
  readonly median: number;
  readonly upper: number;
}

function quartiles(values: readonly number[]): Quartiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN;
  return { lower: at(0.25), median: at(0.5), upper: at(0.75) };
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Requests a second by question. */
function toRates(pairs: readonly Pair[], seconds: number): ReadonlyMap<string, number> {
  const rates = new Map<string, number>();
  for (const { before, after } of pairs.map(({ shown }) => shown))
    for (const [question, { count }] of after.byQuestion) {
      const asked = count - (before.byQuestion.get(question)?.count ?? 0);
      rates.set(question, (rates.get(question) ?? 0) + asked / (pairs.length * seconds));
    }
  return rates;
}

/** Requests that were answered with something new, and all of them. */
function countChanged(pairs: readonly Pair[]): readonly [changed: number, total: number] {
  let [changed, total] = [0, 0];
  for (const { before, after } of pairs.map(({ shown }) => shown)) {
    total += after.requests - before.requests;
    changed += after.requests - after.unchanged - (before.requests - before.unchanged);
  }
  return [changed, total];
}
