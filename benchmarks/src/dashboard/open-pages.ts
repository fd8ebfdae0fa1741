/** Pages of the dashboard that are open, as far as a server sees them: their questions, and when they ask. */
import { setMaxListeners } from "node:events";

type Answer = (request: Request) => Promise<Response>;

/** As in the page's own code. */
const PACES = { live: 2000, list: 4000 } as const;
const SELDOM_MS = 30_000;
const SHARE = 20;
const API = "http://bench.test/dashboard/api";

/** What the pages ask, by kind of page; a page asks all of its kind, one after another. */
const KINDS: readonly (readonly [keyof typeof PACES, ...string[]])[] = [
  ["list", "/instances/counts", "/instances?status=errored&pageSize=10"],
  ["list", "/instances?pageSize=50"],
  ["list", "/instances?workflows=bench&status=complete&pageSize=50"],
  [
    "live",
    "/workflows/bench/instances/watched",
    "/workflows/bench/instances/watched/history?pageSize=100",
  ],
];

/** Requests a second of so many pages, while what they show changes all the time. */
export const toRate = (count: number): number =>
  KINDS.reduce((sum, [pace, ...paths]) => sum + (paths.length * 1000) / PACES[pace], 0) *
  (count / KINDS.length);

/** Asks what a page of each kind asks, so many times. @returns how many requests that were */
export async function askAll(answer: Answer, times: number): Promise<number> {
  let requests = 0;
  for (let round = 0; round < times; round += 1)
    for (const [, ...paths] of KINDS)
      for (const path of paths) {
        await (await answer(new Request(`${API}${path}`))).arrayBuffer();
        requests += 1;
      }
  return requests;
}

/** Pages that ask until they are closed. */
export interface OpenPages {
  /** Requests so far, and how many of them were answered by 304. */
  readonly asked: () => { readonly requests: number; readonly unchanged: number };
  readonly close: () => Promise<void>;
}

/** Opens so many, spread over the first interval. */
export function openPages(answer: Answer, count: number): OpenPages {
  const ends = new AbortController();
  setMaxListeners(count, ends.signal);
  const tally = { requests: 0, unchanged: 0 };
  const pages = Array.from({ length: count }, async (_, index) => {
    const [pace = "list", ...paths] = KINDS[index % KINDS.length] ?? [];
    const soonMs = PACES[pace];
    const firstMs = (index / count) * soonMs;
    return watch(answer, { paths, soonMs, firstMs, signal: ends.signal, tally });
  });
  return {
    asked: () => ({ ...tally }),
    close: async () => {
      ends.abort();
      await Promise.all(pages);
    },
  };
}

interface Watching {
  readonly paths: readonly string[];
  readonly soonMs: number;
  readonly firstMs: number;
  readonly signal: AbortSignal;
  readonly tally: { requests: number; unchanged: number };
}

async function watch(
  answer: Answer,
  { paths, soonMs, firstMs, signal, tally }: Watching,
): Promise<void> {
  const etags = new Map<string, string>();
  let delayMs = soonMs;
  await sleep(firstMs, signal);
  while (!signal.aborted) {
    let isChanged = false;
    const askedAt = performance.now();
    for (const path of paths) {
      const response = await answer(
        new Request(`${API}${path}`, { headers: toHeaders(etags, path) }),
      );
      await response.arrayBuffer();
      etags.set(path, response.headers.get("etag") ?? "");
      tally.requests += 1;
      if (response.status === 304) tally.unchanged += 1;
      else isChanged = true;
    }
    const leastMs = Math.max(soonMs, (performance.now() - askedAt) * SHARE);
    delayMs = Math.min(Math.max(isChanged ? 0 : delayMs * 1.5, leastMs), SELDOM_MS);
    await sleep(delayMs, signal);
  }
}

const toHeaders = (etags: ReadonlyMap<string, string>, path: string): Record<string, string> => {
  const etag = etags.get(path);
  return etag === undefined ? {} : { "if-none-match": etag };
};

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
