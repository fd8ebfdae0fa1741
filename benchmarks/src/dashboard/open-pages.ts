/** Pages of the dashboard that are open, as far as a server sees them: their questions, and when they ask. */
import { setMaxListeners } from "node:events";
import { createInstancePoll, createListPoll, type Poll, type Tally } from "./polls.ts";

export type Answer = (request: Request) => Promise<Response>;

/** Instances of the workflow `watched` that go on, and one that has ended. */
export interface Watched {
  readonly going: readonly string[];
  readonly ended: string;
}

/** What the polls of a page ask, by kind of page. Of so many pages each kind is a fifth. */
const kindsOf = ({ going, ended }: Watched): readonly ((page: number) => readonly Poll[])[] => [
  () => [
    createListPoll("/instances/counts"),
    createListPoll("/activity?bucketMs=120000&buckets=30", SELDOM_MS),
    createListPoll("/instances?status=errored&pageSize=100"),
  ],
  () => [createListPoll("/instances?pageSize=50"), createListPoll("/workflows")],
  // Each has filters of its own: no two pages ask for the same.
  (page) => [
    createListPoll(
      `/instances?workflows=bench&status=complete&createdFrom=${page + 1}&pageSize=50`,
    ),
    createListPoll("/workflows"),
  ],
  (page) => [createInstancePoll(`/workflows/watched/instances/${going[page % going.length]}`)],
  () => [createInstancePoll(`/workflows/watched/instances/${ended}`)],
];

/** Pages that ask while they are seen. */
export interface OpenPages {
  /** Requests so far. */
  readonly asked: () => Tally;
  /** Hidden ones ask nothing. At first they are hidden. */
  readonly show: (isSeen: boolean) => void;
  readonly close: () => Promise<void>;
}

/** As in the page's own code, `poll.ts`. */
const SELDOM_MS = 30_000;
const SHARE = 20;

/** Opens so many, whose polls are spread over their first interval. */
export function openPages(answer: Answer, count: number, watched: Watched): OpenPages {
  const ends = new AbortController();
  setMaxListeners(4 * count, ends.signal);
  const tally: Tally = { requests: 0, unchanged: 0, byQuestion: new Map(), waitFactor: 1 };
  const kinds = kindsOf(watched);
  let isSeen = false;
  const hidden: (() => void)[] = [];
  const untilSeen = (): Promise<void> =>
    isSeen ? Promise.resolve() : new Promise((resolve) => void hidden.push(resolve));
  const polls = Array.from({ length: count }, (_, page) => {
    const made = kinds[page % kinds.length]?.(page) ?? [];
    return made.map((poll) => watch(poll, { answer, ends, tally, untilSeen, place: page / count }));
  });
  const show = (next: boolean): void => {
    isSeen = next;
    if (isSeen) for (const goOn of hidden.splice(0)) goOn();
  };
  return {
    asked: () => ({ ...tally, byQuestion: new Map(tally.byQuestion) }),
    show,
    close: async () => {
      ends.abort();
      show(true);
      await Promise.all(polls.flat());
    },
  };
}

interface Watching {
  readonly answer: Answer;
  readonly ends: AbortController;
  readonly tally: Tally;
  readonly untilSeen: () => Promise<void>;
  /** From 0 to 1: where in an interval it asks. */
  readonly place: number;
}

async function watch(
  poll: Poll,
  { answer, ends: { signal }, tally, untilSeen, place }: Watching,
): Promise<void> {
  let delayMs = poll.soonMs;
  let roundAt = 0;
  while (!signal.aborted) {
    const hiddenAt = performance.now();
    await untilSeen();
    // Seen again, all would ask at one instant, and ever after.
    if (roundAt === 0 || performance.now() - hiddenAt > 1) await sleep(place * poll.soonMs, signal);
    if (signal.aborted) return;
    roundAt = performance.now();
    const isChanged = await poll.ask(answer, tally);
    const leastMs = Math.max(toWait(poll.soonMs, tally), (performance.now() - roundAt) * SHARE);
    delayMs = Math.min(Math.max(isChanged ? 0 : delayMs * 1.5, leastMs), SELDOM_MS);
    await sleep(delayMs, signal);
  }
}

const toWait = (ms: number, { waitFactor }: Tally): number =>
  waitFactor > 1 ? ms * waitFactor * (0.75 + Math.random() / 2) : ms;

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}
