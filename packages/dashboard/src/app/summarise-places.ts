/** The places that a workflow's instances have passed, and how long they took there. */
import { type StepShown, tookMs } from "./shapes.ts";

/** One place, for all iterations and occurrences. */
export interface PlaceSummary {
  readonly place: string;
  readonly name: string;
  readonly type: string;
  /** How many places are around it. */
  readonly depth: number;
  /** In how many of the histories it occurs. */
  readonly seen: number;
  /** How many steps it has in all of them. */
  readonly steps: number;
  /** null: unknown for all of them. */
  readonly medianMs: number | null;
  readonly longestMs: number | null;
  /** Steps that failed, and steps with more than one attempt. */
  readonly failed: number;
  readonly retried: number;
}

interface Gathered {
  readonly place: string;
  readonly type: string;
  readonly durations: number[];
  readonly histories: Set<number>;
  steps: number;
  failed: number;
  retried: number;
}

/** In the order in which places were first reached; places inside another come below it. */
export function summarisePlaces(histories: readonly (readonly StepShown[])[]): PlaceSummary[] {
  const places = new Map<string, Gathered>();
  for (const [index, steps] of histories.entries())
    for (const step of steps) gather(places, step, index);
  const order = new Map([...places.keys()].map((place, index) => [place, index]));
  return [...places.values()].map(toSummary).toSorted((a, b) => compare(order, a.place, b.place));
}

function gather(places: Map<string, Gathered>, step: StepShown, history: number): void {
  const place = toPlace(step.stepKey);
  const found = places.get(place) ?? {
    place,
    type: step.type,
    durations: [],
    histories: new Set<number>(),
    steps: 0,
    failed: 0,
    retried: 0,
  };
  places.set(place, found);
  const ms = tookMs(step);
  if (ms !== null) found.durations.push(ms);
  found.steps += 1;
  found.histories.add(history);
  if (step.status === "errored") found.failed += 1;
  if (step.attempts > 1) found.retried += 1;
}

/** Without iterations and occurrences: `poll/~3/ask#2` is `poll/ask`. */
export const toPlace = (stepKey: string): string =>
  stepKey
    .split("/")
    .filter((part) => !/^~\d+$/.test(part))
    .map((part) => part.replace(/#\d+$/, ""))
    .join("/");

function toSummary(gathered: Gathered): PlaceSummary {
  const { place, type, histories, steps, failed, retried } = gathered;
  const durations = gathered.durations.toSorted((a, b) => a - b);
  const parts = place.split("/");
  return {
    place,
    name: parts.at(-1) ?? place,
    type,
    depth: parts.length - 1,
    seen: histories.size,
    steps,
    medianMs: durations[Math.floor((durations.length - 1) / 2)] ?? null,
    longestMs: durations.at(-1) ?? null,
    failed,
    retried,
  };
}

/** Places inside the same place are together, where the first of them was reached. */
function compare(order: ReadonlyMap<string, number>, left: string, right: string): number {
  const [a, b] = [left.split("/"), right.split("/")];
  const shared = a.findIndex((part, index) => part !== b[index]);
  if (shared === -1) return a.length - b.length;
  if (shared >= b.length) return 1;
  const first = (parts: readonly string[]): number => {
    const prefix = parts.slice(0, shared + 1).join("/");
    let earliest = Number.POSITIVE_INFINITY;
    for (const [place, index] of order)
      if (place === prefix || place.startsWith(`${prefix}/`)) earliest = Math.min(earliest, index);
    return earliest;
  };
  return first(a) - first(b);
}
