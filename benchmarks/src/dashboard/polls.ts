/** What one poll of a page asks, round by round: as `poll.ts` and `instance-look.ts` of the page's own code do. */

type Answer = (request: Request) => Promise<Response>;

/** Requests so far, how many of them were answered by 304, and how many there were of each question. */
export interface Tally {
  requests: number;
  unchanged: number;
  readonly byQuestion: Map<string, Asked>;
  /** How many times as long as else pages are to wait, as the server said last. */
  waitFactor: number;
}

/** How often a question was asked, and for which path the last time. */
export interface Asked {
  readonly count: number;
  readonly path: string;
}

export interface Poll {
  /** The pace while what it shows changes. */
  readonly soonMs: number;
  /** @returns whether something has changed */
  ask(answer: Answer, tally: Tally): Promise<boolean>;
}

export const API = "http://bench.test/dashboard/api";

/** Looks at an instance whose state does not change, for one explanation. */
const EXPLAINED_EVERY = 5;

export function createListPoll(path: string, soonMs: number = 4000): Poll {
  return { soonMs, ask: createQuestion(path) };
}

/** State and history each time; why it does not move, and where it stands, where there is news of it. */
export function createInstancePoll(path: string): Poll {
  const view = createQuestion(path);
  const history = createQuestion(`${path}/history?pageSize=100`);
  const explain = createQuestion(`${path}/explain`);
  const describe = createQuestion(`${path}/describe`);
  let looks = 0;
  return {
    soonMs: 2000,
    async ask(answer, tally) {
      looks += 1;
      const isFirst = looks === 1;
      const isChanged = await view(answer, tally);
      const hasSteps = await history(answer, tally);
      const isDue = isFirst || isChanged || looks % EXPLAINED_EVERY === 0;
      const isExplained = isDue && (await explain(answer, tally));
      const isDescribed = (isDue || hasSteps) && (await describe(answer, tally));
      return isChanged || hasSteps || isExplained || isDescribed;
    },
  };
}

/** Asks for a path with the tag that it was answered with last. @returns whether the answer is another one */
function createQuestion(path: string): Poll["ask"] {
  const name = toName(path);
  let etag: string | null = null;
  return async (answer, tally) => {
    const headers: Record<string, string> = etag === null ? {} : { "if-none-match": etag };
    const response = await answer(new Request(`${API}${path}`, { headers }));
    await response.arrayBuffer();
    if (response.status !== 200 && response.status !== 304)
      throw new RangeError(`${path}: ${response.status}`);
    tally.requests += 1;
    tally.waitFactor = Number(response.headers.get("x-wait-factor") ?? "1");
    tally.byQuestion.set(name, { count: (tally.byQuestion.get(name)?.count ?? 0) + 1, path });
    if (response.status === 304) tally.unchanged += 1;
    else etag = response.headers.get("etag");
    return response.status !== 304;
  };
}

/** Without what tells apart whom it is about. */
const toName = (path: string): string =>
  path.replace(/instances\/[^/?]+/u, "instances/:id").replace(/createdFrom=\d+&/u, "");
